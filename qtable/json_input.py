"""JSON that comes from outside and may be anything: what it may not be is decided here, in one place.

The text must be that of a regular file of a sensible size, in UTF-8; its whole numbers must be such as a
float can be near, its brackets must not be nested without end, and its texts must be such as can be printed.
"""

import errno
import json
import os
import re
import stat
from pathlib import Path
from typing import Any

from qtable.file import kind_of

LARGEST_FILE_BYTES = 256 << 20
_MOST_DIGITS = 300

# What a value of another shape than the expected one raises when it is taken apart.
MISSHAPEN = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)

_HALF_A_CHARACTER = re.compile(r"[\ud800-\udfff]|\\ud[89a-f]", re.IGNORECASE)


class InvalidJson(ValueError):
    """A text that is not JSON as we take it; the message says why."""


def parse_json(text: str) -> Any:
    """The value that a text of JSON means; raises InvalidJson."""
    try:
        data = json.loads(text, parse_int=_parsed_int)
        if _HALF_A_CHARACTER.search(text):  # a pair of halves is a character, and only the whole text tells
            json.dumps(data, ensure_ascii=False).encode()
    except RecursionError:
        raise InvalidJson("its brackets are nested too deeply") from None
    except UnicodeEncodeError:
        raise InvalidJson("a text in it has half a character, a lone surrogate") from None
    except ValueError as error:
        raise InvalidJson(f"it is no JSON: {error}") from error
    return data


def parse_json_object(text: str) -> dict[str, Any]:
    """The same for an object, whose fields come back by their names."""
    data = parse_json(text)
    if not isinstance(data, dict):
        raise InvalidJson(f"expected an object, got {text[:80]!r}")
    return data


def read_text(path: str | Path) -> str:
    """All of a file's text; raises OSError for what is no file, such as a FIFO, and never waits for one.

    InvalidJson is for a file that is no text.
    """
    with open(path, "rb", opener=open_regular) as file:
        if os.fstat(file.fileno()).st_size > LARGEST_FILE_BYTES:
            raise OSError(errno.EFBIG, f"it has more than {LARGEST_FILE_BYTES:,} bytes", str(path))
        data = file.read()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidJson(f"it is no text in UTF-8: {error}") from error


def open_regular(path: str, flags: int) -> int:
    """An opener for `open`, which opens nothing but regular files: a FIFO would have it wait for ever."""
    kind = kind_of(Path(path))  # before it is opened, which may do anything to a device
    if kind is None:
        descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return descriptor
        os.close(descriptor)
        kind = "no file any more"
    raise OSError(errno.EINVAL, f"it is {kind}, not a file", path)


def _parsed_int(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits, expected at most {_MOST_DIGITS}")
    return int(digits)
