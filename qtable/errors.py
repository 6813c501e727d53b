"""What can go wrong with a table, as one small tree.

TableError
├── CorruptEntry            a row whose bytes are no entry; the message names the key
├── DuplicateJournalLine    the journal already has a line with this id
├── InvalidEntry            also a ValueError: a value or count that no entry can hold
├── InvalidKey              also a ValueError: a key that no table can hold
├── NotATable               the file is something else; it was not touched
├── TableBusy               another writer held the table for longer than the timeout
├── TableClosed             the table was used after close()
├── TableCorrupt            the file was a table, but parts of it are damaged
├── TableExists             a file that would be written is already there
├── TableFull               the disk has no room left; nothing was written
├── TableMismatch           the values of this table mean something else than expected
├── TableMissing            there is no such file or folder
├── TableReadOnly           writing was asked of something that can only be read
└── TableVersion            the file's layout is newer than this program, or older and not writable
"""


class TableError(Exception):
    """Any error that this package raises on purpose; its message is fit to be shown to a user."""


class CorruptEntry(TableError):
    """A row whose bytes are no entry."""


class DuplicateJournalLine(TableError):
    """The journal already has a line with this id; nothing was written."""


class InvalidEntry(TableError, ValueError):
    """A value or count that no entry can hold."""


class InvalidKey(TableError, ValueError):
    """A key that no table can hold."""


class NotATable(TableError):
    """The file is something else than a Q-table; it was not touched."""


class TableBusy(TableError):
    """Another writer held the table for longer than the timeout; nothing was written."""


class TableClosed(TableError):
    """The table was used after close()."""


class TableCorrupt(TableError):
    """The file was a table, but parts of it are damaged."""


class TableExists(TableError):
    """A file that would be written is already there."""


class TableFull(TableError):
    """The disk has no room left; nothing was written."""


class TableMismatch(TableError):
    """The values of this table mean something else than expected."""


class TableMissing(TableError):
    """There is no such file or folder."""


class TableReadOnly(TableError):
    """Writing was asked of something that can only be read."""


class TableVersion(TableError):
    """The file's layout is newer than this program, or older and not writable."""
