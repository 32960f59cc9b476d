"""What a draft says otherwise, part by part."""

from __future__ import annotations

from surveyor.profiles import files, loader, model
from surveyor.profiles.difference import Difference, differences


def test_equal_profiles_differ_in_nothing_and_words_and_limits_are_named() -> None:
    present = loader.load("images")
    assert differences(present, present) == []
    text = files.read("images").decode()
    title = f'title = "{present.title}"'
    assert text.count(title) == 1
    draft = loader.parse(text.replace(title, 'title = "Pictures"').encode(), "draft")
    assert differences(present, draft) == [Difference("title", ("Pictures",), (present.title,))]
    assert differences(draft, present) == [Difference("title", (present.title,), ("Pictures",))]


def test_a_word_more_is_one_word_and_not_the_whole_list() -> None:
    present = loader.load("community")
    said = present.model_dump(mode="json", by_alias=True)
    group = next(iter(said["keywords"]))
    said["keywords"][group]["words"]["en"] = [*said["keywords"][group]["words"]["en"], "soup kitchen night"]
    draft = model.Profile.model_validate(said)
    assert differences(present, draft) == [
        Difference(f"keywords, {group}, words, en", ("soup kitchen night",), ())
    ]
