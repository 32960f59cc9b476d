"""RFC 9309 as a table: what a file says, what is asked, what the answer must be."""

import pytest

from surveyor.net.robots_rules import RobotsRules

AGENT = "Surveyor/0.1 (+https://example.org/bot)"

# A sentence, the file, then what it allows (+) and what it denies (-).
TABLE = """
== an empty file allows everything

+ / /a

== a file of comments allows everything
# User-agent: *
# Disallow: /
+ /a

== the group of everybody is ours when none names us
User-agent: *
Disallow: /a
+ /b
- /a

== our own group replaces everybody's
User-agent: *
Disallow: /
User-agent: surveyor
Disallow: /a
+ /b
- /a

== our own group replaces everybody's when it comes first
User-agent: surveyor
Disallow: /a
User-agent: *
Disallow: /
+ /b
- /a

== our own group without rules frees us
User-agent: *
Disallow: /
User-agent: surveyor
+ /a

== the groups of others are not ours
User-agent: otherbot
Disallow: /
+ /a

== the name is matched in any case
User-agent: SURVEYOR
Disallow: /a
+ /b
- /a

== a name that begins ours is not ours
User-agent: survey
Disallow: /
+ /a

== a name that ours begins is not ours
User-agent: surveyorbot
Disallow: /
+ /a

== a name with ours in it is not ours
User-agent: my-surveyor
Disallow: /
+ /a

== a name with a number after it is not ours
User-agent: surveyor2
Disallow: /
+ /a

== a version after the name is passed over
User-agent: Surveyor/2.0
Disallow: /a
+ /b
- /a

== words after the name are passed over
User-agent: surveyor the crawler
Disallow: /a
+ /b
- /a

== a star after the name is passed over
User-agent: surveyor*
Disallow: /a
+ /b
- /a

== groups that name us are joined
User-agent: surveyor
Disallow: /a

User-agent: x
Disallow: /c

User-agent: surveyor
Disallow: /b
+ /c
- /a /b

== groups of everybody are joined
User-agent: *
Disallow: /a
User-agent: *
Disallow: /b
+ /c
- /a /b

== several names share one group
User-agent: x
User-agent: surveyor
User-agent: y
Disallow: /a
+ /b
- /a

== a blank line between names does not part them
User-agent: surveyor

User-agent: y
Disallow: /a
+ /b
- /a

== a blank line between rules does not end a group
User-agent: *
Disallow: /a

Disallow: /b
+ /c
- /a /b

== rules before any name are nobody's
Disallow: /
User-agent: *
Disallow: /a
+ /b
- /a

== a name without a value ends the group before it
User-agent: *
Disallow: /a
User-agent:
Disallow: /b
+ /b
- /a

== a name after rules starts a new group
User-agent: *
Disallow: /a
User-agent: x
Disallow: /b
+ /b
- /a

== a star within a name is no star
User-agent: *bot
Disallow: /
+ /a

== a sitemap does not end a group
User-agent: *
Sitemap: https://x.org/s.xml
Disallow: /a
+ /b
- /a

== a sitemap between names does not part them
User-agent: surveyor
Sitemap: https://x.org/s
User-agent: y
Disallow: /a
+ /b
- /a

== an unknown record between names does not part them
User-agent: surveyor
Mood: good
User-agent: y
Disallow: /a
+ /b
- /a

== a crawl-delay between names does not part them
User-agent: surveyor
Crawl-delay: 9
User-agent: y
Disallow: /a
+ /b
- /a

== an unknown record between rules is passed over
User-agent: *
Disallow: /a
Noindex: /c
Disallow: /b
+ /c
- /a /b

== names of records are read in any case
USER-AGENT: *
dIsAlLoW: /a
ALLOW: /a/b
+ /a/b
- /a

== no blank is needed after the colon
User-agent:*
Disallow:/a
+ /b
- /a

== a comment may follow a rule
User-agent: *
Disallow: /a # not here
Disallow: /b#nor here
+ /c
- /a /b

== a comment may follow a name
User-agent: surveyor # that is you
Disallow: /a
+ /b
- /a

== the last line needs no end
User-agent: *
Disallow: /a
+ /b
- /a

== a missing colon is forgiven
User-agent surveyor
Disallow /a
+ /b
- /a

== common misspellings are understood
Useragent: *
Dissalow: /a
Disalow: /b
+ /c
- /a /b

== lines that make no sense do not hide the others
User-agent: *
<<<<
:::
Disallow: /a
%%%
: /
+ /b
- /a

== an HTML page has no rules
<!DOCTYPE html>
<pre>
User-agent: *
Disallow: /
</pre>
+ /a

== an HTML page without doctype has no rules

 <html><body>
User-agent: *
Disallow: /
+ /a

== an HTML page below a comment has no rules
<!-- served by us -->
<!-- and by us -->
<html>
User-agent: *
Disallow: /
+ /a

== rules below an HTML comment are obeyed
<!-- robots.txt of the ministry -- as of May -->

User-agent: *
Disallow: /a
+ /b
- /a

== rules within an HTML comment are obeyed
<!--
User-agent: *
Disallow: /a
-->
+ /b
- /a

== rules below a comment that never ends are obeyed
<!-- robots.txt
User-agent: *
Disallow: /a
+ /b
- /a

== rules between other marks are obeyed
<pre>
User-agent: *
Disallow: /a
</pre>
+ /b
- /a

== a rule matches all that begins with it
User-agent: *
Disallow: /fish
+ /catfish /Fish /fis
- /fish /fish.html /fish/salmon /fisheries /fish?id=1

== a rule with a slash at its end is about the folder
User-agent: *
Disallow: /fish/
+ /fish /fish.html
- /fish/ /fish/salmon

== a slash alone is about everything
User-agent: *
Disallow: /
- / /a /a?b

== an empty Disallow denies nothing
User-agent: *
Disallow:
+ / /a

== an empty Disallow does not soften another
User-agent: *
Disallow:
Disallow: /a
+ /b
- /a

== an empty Allow allows nothing
User-agent: *
Disallow: /
Allow:
- /a

== paths are matched with their case
User-agent: *
Disallow: /Private
+ /private
- /Private

== the query is part of what is matched
User-agent: *
Disallow: /a?x=
+ /a /a?y=1
- /a?x=1

== a path without its slash is given one
User-agent: *
Disallow: private/
+ /public
- /private/a

== robots.txt itself is always allowed
User-agent: *
Disallow: /
+ /robots.txt
- /robots.txt.bak

== a query does not make robots.txt another file's alibi
User-agent: *
Disallow: /
+ /robots.txt
- /robots.txt?a /x/robots.txt

== the longer rule wins
User-agent: *
Allow: /a/b
Disallow: /a
+ /a/b
- /a/c

== the order of rules does not matter
User-agent: *
Disallow: /a
Allow: /a/b
+ /a/b
- /a/c

== the longer rule wins when it denies
User-agent: *
Allow: /a
Disallow: /a/b
+ /a/c
- /a/b

== Allow wins over a Disallow of the same length
User-agent: *
Disallow: /a
Allow: /a
+ /a

== Allow wins a tie whatever the patterns are
User-agent: *
Disallow: /*.ht
Allow: /page
+ /page.htm
- /x.htm

== stars count as octets
User-agent: *
Allow: /page
Disallow: /*.html
+ /page
- /page.html

== a long wildcard outweighs a short path
User-agent: *
Allow: /p
Disallow: /*/*/secret
+ /p/a/b
- /p/a/secret

== one page can be opened in a closed site
User-agent: *
Disallow: /
Allow: /$
+ /
- /a

== the dollar counts as an octet
User-agent: *
Allow: /a
Disallow: /a$
+ /ab
- /a

== everything may be allowed by name
User-agent: *
Disallow: /
Allow: /
+ / /a

== a star stands for any octets
User-agent: *
Disallow: /a*b
+ /a /acd
- /ab /axxb /a/x/b/c

== a star stands for nothing too
User-agent: *
Disallow: /a*/b
+ /ab
- /a/b /ax/b

== a star at the end changes nothing
User-agent: *
Disallow: /fish*
+ /Fish
- /fish /fish/salmon

== a star at the beginning finds it anywhere
User-agent: *
Disallow: *.pdf
+ /a.txt
- /a.pdf /b/c.pdf?d

== a star alone is about everything
User-agent: *
Disallow: *
- / /a

== several stars must be met in order
User-agent: *
Disallow: /*a*b*c
+ /c/b/a /acb
- /abc /xaxbxc

== stars beside each other are one
User-agent: *
Disallow: /a**b
+ /ac
- /ab /axb

== a dollar ends the address
User-agent: *
Disallow: /*.php$
+ /a.php?x /a.php/ /a.php5
- /a.php /b/c.php

== a dollar after a plain path means that page alone
User-agent: *
Disallow: /a$
+ /ab /a/ /a?b
- /a

== a dollar not at the end is a plain dollar
User-agent: *
Disallow: /a$b
+ /a /ab
- /a$b /a%24bc

== the end may not be used twice
User-agent: *
Disallow: /*aba*ba$
+ /aba
- /ababa /abaxba

== a pattern may end in a star and a dollar
User-agent: *
Disallow: /a*$
+ /b
- /a /abc

== a coded star is a plain star
User-agent: *
Disallow: /a%2Ab
+ /axb
- /a*b /a%2ab

== a coded dollar is a plain dollar
User-agent: *
Disallow: /a%24
+ /a
- /a$ /a$b

== a question mark is no wildcard
User-agent: *
Disallow: /a?b
+ /axb /ab
- /a?b

== a dot is no wildcard
User-agent: *
Disallow: /a.b
+ /axb
- /a.b

== letters outside ASCII may be coded in the address
User-agent: *
Disallow: /ツ
+ /a
- /%E3%83%84 /%e3%83%84x /ツ

== letters outside ASCII may be coded in the rule
User-agent: *
Disallow: /%e3%83%84
+ /a
- /ツ /%E3%83%84

== letters that end in an octet like a blank are kept whole
User-agent: *
Disallow: /à
+ /Ã
- /à /%C3%A0

== needless codes in the rule are undone
User-agent: *
Disallow: /%62%61%7a
+ /b
- /baz

== needless codes in the address are undone
User-agent: *
Disallow: /baz
+ /b
- /%62%61%7A

== a coded slash in a path is no slash
User-agent: *
Disallow: /a/b
+ /a%2Fb
- /a/b

== the case of codes does not matter
User-agent: *
Disallow: /a%2fb
+ /a/b
- /a%2Fb

== an address within a query may be coded
User-agent: *
Disallow: /a?u=https://x.org
+ /a
- /a?u=https%3A%2F%2Fx.org

== an address within a query of a rule may be coded
User-agent: *
Disallow: /a?u=https%3a%2f%2fx.org
+ /a
- /a?u=https://x.org

== an address within a query may be coded after a star too
User-agent: *
Disallow: /a?*u*=https%3A%2F%2Fx.org
+ /a
- /a?u=https://x.org /a?v=1&url=https%3a%2f%2fx.org

== codes may mix their cases
User-agent: *
Disallow: /%cA%eb
+ /a
- /%Ca%Eb /%CA%EB

== a coded ampersand in a query is not a plain one
User-agent: *
Disallow: /a?b&c
+ /a?b%26c
- /a?b&c

== a blank may be coded
User-agent: *
Disallow: /a b
+ /a+b
- /a%20b

== a percent sign without digits is taken as it is
User-agent: *
Disallow: /100%
+ /100
- /100% /100%25
"""

# What cannot be seen in a table.
UNSEEN = [
    (
        "blanks around names and values are nothing",
        " \tUser-agent \t:\t * \n  Disallow  :  /a  ",
        "/b",
        "/a /a/",
    ),
    (
        "blanks that cannot be seen are nothing either",
        "\u00a0User-agent\u00a0:\u00a0*\u00a0\n\u3000Disallow:\u00a0 \u00a0/a\u00a0\u200b\n"
        "Disallow:\u00a0/à\u00a0",
        "/b /Ã",
        "/a /a/ /à",
    ),
    ("CRLF ends lines", "User-agent: *\r\nDisallow: /a\r\n\r\nDisallow: /b\r\n", "/c", "/a /b"),
    ("CR alone ends lines", "User-agent: *\rDisallow: /a\rDisallow: /b", "/c", "/a /b"),
    ("line ends may be mixed", "User-agent: *\rDisallow: /a\r\nDisallow: /b\nDisallow: /c", "/d", "/a /b /c"),
    ("a byte order mark is passed over", "\ufeffUser-agent: *\nDisallow: /a", "/b", "/a"),
    (
        "a byte order mark within the file is passed over",
        "User-agent: x\nDisallow: /\n\ufeffUser-agent: *\nDisallow: /a",
        "/b",
        "/a",
    ),
    ("NULs are passed over", "User-agent: *\n\x00\x00Disallow: /a\x00\n", "/b", "/a"),
]


def cases() -> list[tuple[str, str, str, str]]:
    found = []
    for block in TABLE.split("\n== ")[1:]:
        sentence, *lines = block.splitlines()
        said = {sign: " ".join(line[2:] for line in lines if line.startswith(f"{sign} ")) for sign in "+-"}
        text = "\n".join(line for line in lines if not line.startswith(("+ ", "- ")))
        found.append((sentence, text.rstrip("\n"), said["+"], said["-"]))
    return found + UNSEEN


def asked() -> list[object]:
    """Each case once per address."""
    return [
        pytest.param(text, target, verdict, id=f"{sentence}: {target}")
        for sentence, text, allowed, denied in cases()
        for verdict, targets in ((True, allowed), (False, denied))
        for target in targets.split()
    ]


@pytest.mark.parametrize(("text", "target", "verdict"), asked())
def test_rfc_9309(text: str, target: str, verdict: bool) -> None:
    assert RobotsRules.parse(text.encode(), AGENT).allows(target) is verdict


def test_every_case_has_a_name_of_its_own_and_asks_something() -> None:
    assert len({case[0] for case in cases()}) == len(cases()) >= 60
    assert all(allowed or denied for _, _, allowed, denied in cases())
