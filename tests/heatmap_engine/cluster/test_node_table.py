"""The folder of copies is this user's alone: nothing of a stranger's is followed, used or removed."""

import os
import tempfile
from pathlib import Path

import pytest

from heatmap_engine.cluster.node_table import used_folder
from heatmap_engine.errors import ClusterError


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path / f"heatmap-engine-cluster-{os.getuid()}"


def test_folder_is_made_for_this_user_alone_whatever_the_umask(base: Path) -> None:
    before = os.umask(0)
    try:
        with used_folder("run") as folder:
            assert folder == base / "run"
    finally:
        os.umask(before)
    assert base.stat().st_mode & 0o777 == 0o700
    with used_folder("other"):  # and what was left behind is removed
        assert not (base / "run").exists()


def test_symlink_of_a_stranger_is_named_and_nothing_behind_it_is_removed(base: Path, tmp_path: Path) -> None:
    """What was found behind it was taken for what killed runs had left, and deleted."""
    (tmp_path / "home" / "letters").mkdir(parents=True)
    (tmp_path / "home" / "letters" / "used").write_text("mine")
    base.symlink_to(tmp_path / "home")
    with pytest.raises(ClusterError, match=f"{base}.* a symbolic link"), used_folder("run"):
        pass
    assert (tmp_path / "home" / "letters" / "used").read_text() == "mine"
    assert not (tmp_path / "home" / "lock").exists()


def test_link_to_nowhere_makes_nothing_there(base: Path, tmp_path: Path) -> None:
    base.symlink_to(tmp_path / "nowhere")
    with pytest.raises(ClusterError, match="a symbolic link"), used_folder("run"):
        pass
    assert not (tmp_path / "nowhere").exists()


def test_file_or_fifo_in_its_place_is_named(base: Path) -> None:
    base.write_text("")
    with pytest.raises(ClusterError, match="no folder"), used_folder("run"):
        pass
    base.unlink()
    os.mkfifo(base)
    with pytest.raises(ClusterError, match="no folder"), used_folder("run"):
        pass


def test_folder_that_others_may_write_to_is_named_with_what_to_do(base: Path) -> None:
    base.mkdir()
    base.chmod(0o777)
    with pytest.raises(ClusterError, match=r"mode 777.*remove it"), used_folder("run"):
        pass


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder to another user")
def test_folder_of_another_user_is_named(base: Path) -> None:
    base.mkdir(mode=0o700)
    os.chown(base, 12345, 12345)
    with pytest.raises(ClusterError, match="another user's"), used_folder("run"):
        pass


def test_links_inside_are_not_followed(base: Path, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "used").write_text("mine")
    base.mkdir(mode=0o700)
    (base / "run").symlink_to(tmp_path / "home")
    with used_folder("other"):
        pass
    assert (tmp_path / "home" / "used").read_text() == "mine"
