"""What the name of an element says it is: its tag, its role, and the words of its class and id.

Class names are written by people and by systems, in English and in the language of the site. They are cut
into words; a word that stands for a kind of surroundings is a hint, which the text inside may overrule.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import Final


class Hint(StrEnum):
    """What an element seems to be."""

    MAIN = "main"  # holds the content
    CONTENT = "content"  # may hold it
    NAVIGATION = "navigation"
    HEADER = "header"
    FOOTER = "footer"
    ASIDE = "aside"
    TEASER = "teaser"
    COMMENTS = "comments"
    NOTICE = "notice"
    BYLINE = "byline"  # who wrote it, when, under which heading
    CAPTION = "caption"  # what a picture shows, and who took it
    BUTTON = "button"
    HIDDEN = "hidden"


_WORDS: Final[dict[Hint, str]] = {
    Hint.NOTICE: """
        cookie cookies cookiebar cookiebanner cookielaw cookieconsent cookienotice consent gdpr dsgvo rgpd
        onetrust optanon cmplz axeptio moove cookiebot usercentrics didomi tarteaucitron borlabs klaro osano
        iubenda termly cookieyes quantcast preloader spinner loader toast biskvitki
        """,
    Hint.COMMENTS: """
        comment comments commentlist respond disqus replies kommentar kommentare commentaire commentaires
        comentarii comentariu comentarios komentari komentar sxolia guestbook gaestebuch reactions
        """,
    Hint.FOOTER: """
        footer subfooter colophon copyright pagefooter printfooter sitefooter footerwrap footlinks fusszeile
        fussbereich piedpage piedepage subsol bottombar
        """,
    Hint.NAVIGATION: """
        nav navi navbar navigation mainnav topnav subnav sidenav navmenu sitenav menu menus mainmenu submenu
        topmenu menue hauptmenue meniu menyu navegacion navigazione breadcrumb breadcrumbs crumb crumbs
        rootline filariane ariane pager pagination paging pagenav pagelinks pagenumbers toc inhaltsverzeichnis
        skiplink skiplinks skip toolbar topbar language languages langswitch langswitcher lang locale sprachen
        idiomas langues switcher searchform searchbox suche recherche facets facet filters sitemap postnav
        prevnext metanavi servicenav jumpmenu tabnav
        """,
    Hint.TEASER: """
        teaser teasers related similar recommended recommendations recommend readmore morelinks relatedposts
        readnext morestories recent recentposts latest newest popular trending mostread newslist newsbox
        newsticker ticker eventlist upcoming crosssell crossselling upsell accessories miniature miniatures
        verwandt aktuelles actualites noutati novini noticias semejantes voiraussi alsolike carousel slider
        slideshow linklist linkliste testimonial testimonials quote quotes stories reviews
        """,
    Hint.BYLINE: """
        byline meta metadata postmeta entrymeta postinfo articleinfo posted postedon dateline timestamp
        pubdate publishdate lastmodified lastupdated author authors autor auteur verfasser submitted taglist
        postmetadata entryfooter articlefooter postfooter authorbio authorinfo authorbox aboutauthor
        tagcloud posttags entrytags catlinks categories readingtime permalink createdby
        """,
    Hint.CAPTION: "caption captions figcaption imgcaption bildunterschrift imagecaption credit imginline",
    Hint.BUTTON: "btn button buttons",
    Hint.ASIDE: """
        sidebar sidebars aside widget widgets widgetarea rightcol leftcol rightcolumn leftcolumn rightbar
        leftbar sidecol sidecolumn sidecontent sidepanel marginal marginalspalte randspalte seitenleiste
        encart lateral complementary promobox promotion ad ads adbox advert adverts advertisement advertising
        adslot adsense sponsored sponsor sponsors superbanner leaderboard skyscraper publicite werbung anzeige
        anzeigen reklama reclama publicidad newsletter subscribe subscription optin popup modal overlay
        lightbox sharing shares sharethis sharebar sharebuttons sharelinks addtoany addthis socials
        socialmedia sociallinks socialicons socialshare socialbar followus teilen partage partager compartir
        spodeli whatsapp chatbot livechat printlink paywall announcementbar secondarycontent
        """,
    Hint.HEADER: """
        header masthead branding brand logo slogan sitename sitetitle topheader pageheader siteheader kopf
        kopfzeile entete cabecera antet
        """,
    Hint.MAIN: "maincontent hauptinhalt articlebody contentmain mainbody contentbody",
    Hint.CONTENT: """
        content main article entry post story richtext body inhalt contenu contenido continut texte text
        primary hentry saturs sadarzhanie sarzhanie page single node
        """,
}
# Words that mean so only as a whole name: "social" is a row of icons, "social-services" is not.
_WHOLE_WORDS: Final[dict[Hint, str]] = {
    Hint.COMMENTS: "forum discussion",
    Hint.FOOTER: "foot fuss pied pie credits bottom",
    Hint.TEASER: "calendar events news",
    Hint.BYLINE: "published updated modified tags hits datum date",
    Hint.ASIDE: "side secondary right left rechts links pub native social share follow chat promo",
    Hint.HEADER: "head",
}
# In this order a hint is believed when a name has words of several.
_ORDER: Final = (
    Hint.NOTICE,
    Hint.COMMENTS,
    Hint.FOOTER,
    Hint.NAVIGATION,
    Hint.TEASER,
    Hint.BYLINE,
    Hint.CAPTION,
    Hint.BUTTON,
    Hint.ASIDE,
    Hint.HEADER,
    Hint.MAIN,
    Hint.CONTENT,
)
_HINTS: Final = {word: hint for hint in reversed(_ORDER) for word in _WORDS[hint].split()}
_WHOLE: Final = {word: hint for hint, words in _WHOLE_WORDS.items() for word in words.split()}
# First words of names that tell how a thing looks, or what a page has elsewhere.
_LOOKS: Final = frozenset(
    (
        "bg",
        "text",
        "border",
        "alert",
        "badge",
        "table",
        "font",
        "has",
        "no",
        "with",
        "is",
        "js",
        "color",
        "theme",
    )
)
_RANK: Final = {hint: rank for rank, hint in enumerate(_ORDER)}
_TAGS: Final = {
    "main": Hint.MAIN,
    "article": Hint.CONTENT,
    "nav": Hint.NAVIGATION,
    "aside": Hint.ASIDE,
    "header": Hint.HEADER,
    "footer": Hint.FOOTER,
    "dialog": Hint.NOTICE,
}
_ROLES: Final = {
    "main": Hint.MAIN,
    "article": Hint.CONTENT,
    "navigation": Hint.NAVIGATION,
    "menu": Hint.NAVIGATION,
    "menubar": Hint.NAVIGATION,
    "tablist": Hint.NAVIGATION,
    "search": Hint.NAVIGATION,
    "toolbar": Hint.NAVIGATION,
    "banner": Hint.HEADER,
    "contentinfo": Hint.FOOTER,
    "complementary": Hint.ASIDE,
    "dialog": Hint.NOTICE,
    "alertdialog": Hint.NOTICE,
}
# Words beside "header" or "footer" that make it a part of the content.
_BESIDE: Final = """
    page entry article post section card content node block panel item title single accordion hentry story
    module group table column col
"""
_PART_OF_CONTENT: Final = frozenset(_BESIDE.split())
_IN_CONTENT: Final = {Hint.HEADER: Hint.CONTENT, Hint.FOOTER: Hint.BYLINE}
_HIDING: Final = """
    sr-only visually-hidden visuallyhidden screen-reader-text screenreader element-invisible u-hidden
    is-hidden
    hide-text aspnethidden visually-hidden-focusable skip-link offscreen hidden-text
    mw-editsection mw-jump-link
"""
_HIDDEN: Final = frozenset(_HIDING.split())
# Classes that hide, unless another shows again on some screens.
_HIDDEN_SOMEWHERE: Final = frozenset(("hidden", "d-none", "hide", "invisible"))
_SHOWN_AGAIN: Final = re.compile(
    r"(?:^|\s)(?:\w{1,5}:(?:block|flex|grid|inline|table|visible)|d-\w{2,3}-(?!none))"
)
# What publishing systems call an entry itself; beside it stand the names of its categories and tags.
_ENTRY: Final = frozenset(("hentry", "h-entry", "type-post", "type-page"))
_FILED: Final = frozenset(("category", "tag", "tags", "tax", "term", "cat", "postid", "pageid", "author"))
_ABOUT_ENTRY: Final = frozenset(
    ("cloud", "list", "links", "bio", "info", "box", "name", "meta", "line", "label")
)
_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD: Final = re.compile(r"[a-z]{2,}")
# Characters of a class attribute that are read; frameworks write dozens of classes, nobody writes more.
_LONGEST: Final = 400


@lru_cache(maxsize=4_096)  # a site uses the same few hundred on every page
def hint_of(tag: str, role: str, names: str) -> Hint | None:
    """What an element seems to be; its role and its tag are believed before its names."""
    if role in _ROLES:
        return _ROLES[role]
    by_name = name_hint(names) if names else None
    by_tag = _TAGS.get(tag)
    if by_tag is Hint.HEADER or by_tag is Hint.FOOTER:
        return by_name if by_name in (Hint.BYLINE, Hint.COMMENTS, Hint.NOTICE) else by_tag
    if by_tag is Hint.CONTENT or by_tag is None:
        return by_name or by_tag
    if by_tag is Hint.ASIDE and by_name in (Hint.TEASER, Hint.COMMENTS, Hint.NOTICE, Hint.NAVIGATION):
        return by_name
    return by_tag


def name_hint(names: str) -> Hint | None:
    """What the words of class and id say together."""
    names = names[:_LONGEST]
    parts = names.lower()
    if parts != names:
        parts = _HUMP.sub("-", names).lower()
    classes = parts.split()
    if not _HIDDEN.isdisjoint(classes) or (
        not _HIDDEN_SOMEWHERE.isdisjoint(classes) and _SHOWN_AGAIN.search(parts) is None
    ):
        return Hint.HIDDEN
    if not _ENTRY.isdisjoint(classes):
        return Hint.CONTENT
    best: Hint | None = None
    for each in classes:
        found = _of_class(each)
        if found is not None and (best is None or _RANK[found] < _RANK[best]):
            best = found
    return best


def is_entry(names: str) -> bool:
    """Whether a publishing system calls an element the entry itself."""
    return "type-" in names and not _ENTRY.isdisjoint(names.lower().split())


@lru_cache(maxsize=16_384)  # frameworks share theirs over many sites
def _of_class(name: str) -> Hint | None:
    words = _WORD.findall(name)
    if not words:
        return None
    if len(words) == 1 or "__" in name:  # the part of a block, as in "grid__side", stands for itself
        whole = _WHOLE.get(words[-1])
        if whole is not None and not (len(words) > 1 and whole is Hint.BYLINE):
            return whole
    if len(words) > 1 and (words[0] in _LOOKS or (words[0] in _FILED and words[1] not in _ABOUT_ENTRY)):
        return None
    return _of_words(words)


def _of_words(words: list[str]) -> Hint | None:
    pairs = [f"{left}{right}" for left, right in pairwise(words)]
    hints = [_HINTS[word] for word in ("".join(words), *words, *pairs) if word in _HINTS]
    if "elementor" in words:  # calls every part of a page a widget
        hints = [hint for hint in hints if hint is not Hint.ASIDE]
    if not hints:
        return None
    best = min(hints, key=_RANK.__getitem__)
    if best in _IN_CONTENT and not _PART_OF_CONTENT.isdisjoint(words):
        return _IN_CONTENT[best]
    return best
