"""What docs/profiles.md says is true."""

import re
from pathlib import Path

from surveyor.profiles.loader import load
from surveyor.profiles.model import Part, Profile

TEXT = (Path(__file__).parents[3] / "docs" / "profiles.md").read_text(encoding="utf-8")


def fields(part: type[Part]) -> set[str]:
    own = {field.alias or name for name, field in part.model_fields.items()}
    return own.union(*(fields(child) for child in part.__subclasses__()))


def test_the_smallest_profile_loads(tmp_path: Path) -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    (tmp_path / "trails.toml").write_text(example, encoding="utf-8")
    profile = load("trails.toml", tmp_path)
    assert profile.keywords["shop"].effect == "weakens"
    assert set(profile.judges) == {"keywords", "credibility"}


def test_every_field_is_documented() -> None:
    named = set(re.findall(r"[a-z_]+", " ".join(re.findall(r"`[^`\n]+`", TEXT))))
    assert fields(Part) - named == set()


def test_every_choice_is_documented() -> None:
    named = " ".join(re.findall(r"`[^`\n]+`", TEXT))
    for annotation in (Profile.model_fields["judges"], Profile.model_fields["records"]):
        for choice in re.findall(r"'(\w+)'", str(annotation.annotation)):
            assert choice in named
