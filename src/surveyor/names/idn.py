"""International labels: whether an `xn--` label is one, and what it says.

The rules are those of UTS 46 without transitional mappings, as browsers apply them, so that
names with symbols resolve too. The browser's parser lets ASCII labels pass unread; here each
must be the one spelling of what it decodes to, or two rows could show the same name.
"""

from __future__ import annotations

import unicodedata

PREFIX = "xn--"


# Quotes, brackets and dashes: browsers resolve them, no registry has them, documents put them around names.
_DOCUMENT_SIGNS = frozenset({"Pi", "Pf", "Ps", "Pe", "Pd"})


def document_sign(text: str) -> str:
    """The first sign of a document's typesetting in a text, or an empty text; a plain hyphen is none."""
    return next((char for char in text if char != "-" and unicodedata.category(char) in _DOCUMENT_SIGNS), "")


def unicode_label(label: str) -> str | None:
    """What an `xn--` label says, or None if it is not a valid one."""
    import idna  # here, because its tables cost 30 ms and most names are plain

    try:
        said = label[len(PREFIX) :].encode("ascii").decode("punycode")
        valid = (
            not said.isascii()
            and not document_sign(said)
            and idna.uts46_remap(said) == said
            and idna.check_initial_combiner(said)
            and idna.check_bidi(said)
            and all(idna.valid_contextj(said, i) for i, char in enumerate(said) if char in "\u200c\u200d")
            and PREFIX + said.encode("punycode").decode("ascii") == label
        )
    except ValueError:  # UnicodeError and IDNAError are of this kind
        return None
    return said if valid else None
