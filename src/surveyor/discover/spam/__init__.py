"""Anti-spam: whether a search result is worth keeping at all, by its title, description and address.

One file per detector, each pure, each saying what it saw. One alone may accuse; the verdict weighs them,
and takes into account what protects, so that whoever helps, warns, reports, rules or remembers is not
taken for whom it speaks of. A language we have no lists for is never a reason.

    verdict      the verdict on a result
    Verdict      what it is, with a score and the reasons

    features     a result, read once: words, language, what the lists found
    hosts        the words of a host name, also of compounds
    categories   gambling, essay mills, loans, pills and others that borrow the words of good causes
    stuffing     the same words again and again
    wordlist     lists without sentences
    mismatch     a host and a text that have nothing to do with each other
    structure    mixed scripts, hosts that look like others, strangers' pages on trusted hosts
    wordlists    the word lists, in `wordlists/spam/`, and how they are matched
"""

from __future__ import annotations

from surveyor.discover.spam.verdicts import ENOUGH, Verdict, verdict

__all__ = ["ENOUGH", "Verdict", "verdict"]
