"""Files for their owner alone."""

from __future__ import annotations

from pathlib import Path

from surveyor import private


def test_a_file_that_is_a_link_is_written_where_it_leads(tmp_path: Path) -> None:
    kept, link = tmp_path / "kept.toml", tmp_path / "surveyor.toml"
    kept.write_bytes(b"old")
    link.symlink_to(kept)
    private.write(link, b"new")
    assert link.is_symlink()
    assert kept.read_bytes() == b"new"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept.toml", "surveyor.toml"]
