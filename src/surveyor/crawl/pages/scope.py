"""What belongs to the crawl of one domain: whose pages they are, and which links can lead to one.

`http` and `https`, with `www.` and without, are the same site, because they have the same canonical
domain. A link is refused by its ending only where that ending is never a page; what a server really
sends is known by its bytes, later.
"""

from __future__ import annotations

import re
from typing import Literal

from surveyor.names import DEFAULT_RULES, DomainName, NameRules, PageUrl

# Reason codes of `refusal`.
OTHER_DOMAIN = "other_domain"
NOT_A_PAGE = "not_a_page"
IMAGE_NOT_WANTED = "image_not_wanted"

IMAGE_ENDINGS = frozenset(
    {"jpg", "jpeg", "jpe", "jfif", "png", "gif", "webp", "avif", "bmp", "tif", "tiff", "heic", "jxl"}
)
# Endings of files that hold neither text we read nor links. `com` is missing on purpose: it ends the
# pages of many directories of sites. So are `xml` and `txt`: feeds, lists, and sometimes pages.
_NEVER_PAGES = frozenset(
    ending
    for endings in (
        "7z apk bin bz2 cab deb dmg exe gz img iso jar lz lzma msi msix pkg rar rpm tar tbz tgz xz zip zst",
        "3gp aac aif aiff avi flac flv m3u m3u8 m4a m4v mid mkv mov mp2 mp3 mp4 mpeg mpg oga ogg ogv opus",
        "ra ram rm swf ts wav weba webm wma wmv",
        "css less map mjs js json scss wasm woff woff2 ttf otf eot ico cur svg svgz psd ai eps",
        "csv doc docm docx dot dotx key numbers odp ods odt pages pot potx pps ppsx ppt pptx rtf tsv xls",
        "xlsm xlsx dbf gpx kml kmz mdb parquet shp sql sqlite ics vcf epub mobi azw3 djvu torrent asc sig",
    )
    for ending in endings.split()
)
# How the targets of most links end; asked first, because it is quicker.
_SURELY_PAGES = ("/", ".html", ".htm", ".php")
# Names of pages that say little about a site, and of which it often has many. Imprints and contacts
# are missing on purpose: they name people and addresses.
_LESS_INTERESTING = frozenset(
    name + suffix
    for names in (
        "tag tags label labels schlagwort schlagworte etiqueta etiquetas etiquette etiquettes mot-cle",
        "login log-in logout signin sign-in signup sign-up anmelden anmeldung connexion register account",
        "cart basket checkout warenkorb panier carrito wishlist compare wp-login",
        "privacy privacy-policy datenschutz datenschutzerklaerung confidentialite privacidad cookie cookies",
        "cookie-policy terms terms-of-use terms-of-service terms-and-conditions agb cgu cgv disclaimer",
        "print share reply comment comments feed rss search suche recherche buscar",
    )
    for name in names.split()
    for suffix in ("", ".html", ".htm", ".php", ".asp", ".aspx", ".jsp")
)
# Parameters that show a page again: in another order, as it once was (a commit's hash), or for printing.
_OTHER_VIEWS = re.compile(
    r"(?:^|[&;])(?:share|print|printable|sort|order|orderby|sortby|sort_by|dir|oldid|diff|rev|returnto"
    r"|(?:id|id2|h|hb|hp|hpb)=[0-9a-f]{40}(?:[0-9a-f]{24})?"
    r"|action=(?:history|info|raw|print)|do=(?:diff|revisions|recent|index|media|backlink|export_\w+))"
    r"(?=[=&;]|$)"
)
# Parameters that act on the site or open a form (shops, comments, wikis), and columns of Apache's listings.
_ACTIONS = re.compile(
    r"(?:^|[&;])(?:add-to-cart|add_to_cart|add_to_wishlist|remove_item|replytocom|redlink"
    r"|action=(?:edit|submit|delete|log(?:in|out)|lostpassword|register)"
    r"|do=(?:edit|login|logout|register|resendpwd|subscribe|profile)|mode=(?:login|logout|register|sendpassword)|c=[nmsd][;&]o=[ad])(?=[=&;]|$)"
)
# Columns of Caddy's listings of files; elsewhere such a list may be the only way to what it names.
_FILE_COLUMNS = re.compile(r"^sort=(?:name|namedirfirst|size|time)&order=(?:asc|desc)$")
# A log-in that leads back: one form under as many addresses as the site has pages.
_SIGN_IN = re.compile(
    r"/(?:log-?in|log-?out|sign-?in|sign-?up|register|anmeld(?:en|ung)|connexion|wp-login)"
    r"(?:\.(?:html?|php|aspx?|jsp))?/?$"
)
_LEADS_BACK = re.compile(r"=(?:/|%2f|https?(?::|%3a))")


class Scope:
    """One domain's links. Keeps what `links` has found out about the site's hrefs, within bounds."""

    __slots__ = ("_refused", "domain", "images", "known", "rules")

    def __init__(self, domain: DomainName, rules: NameRules = DEFAULT_RULES, *, images: bool = False) -> None:
        self.domain = domain
        self.rules = rules
        self.images = images
        self._refused = _NEVER_PAGES if images else _NEVER_PAGES | IMAGE_ENDINGS
        self.known: dict[str, tuple[str, int] | str | Literal[False]] = {}
        """Absolute href -> target and rank, the URL of another domain, or False: leads nowhere."""

    def admits(self, url: PageUrl) -> bool:
        return url.domain == self.domain

    def worth_fetching(self, target: str) -> bool:
        return target.endswith(_SURELY_PAGES) or ending(target) not in self._refused

    def rank(self, target: str) -> int | None:
        """0, or 1 for a page that can wait until the others are fetched; None if it is not worth fetching."""
        if not target.endswith(_SURELY_PAGES) and ending(target) in self._refused:
            return None
        path = target.lower()
        if "?" in path:
            path, _, query = path.partition("?")
            if _ACTIONS.search(query) or (path.endswith("/") and _FILE_COLUMNS.search(query)):
                return None
            if _LEADS_BACK.search(query) and _SIGN_IN.search(path):
                return None
            if _OTHER_VIEWS.search(query):
                return 1
        return 0 if _LESS_INTERESTING.isdisjoint(path.split("/")) else 1

    def refusal(self, url: PageUrl) -> str | None:
        """The reason why a URL is not fetched within this scope, or None."""
        if url.domain != self.domain:
            return OTHER_DOMAIN
        if self.worth_fetching(url.target):
            return None
        return IMAGE_NOT_WANTED if ending(url.target) in IMAGE_ENDINGS else NOT_A_PAGE


def ending(target: str) -> str:
    """The file ending of a path and query in lower case, or an empty text."""
    name = target.partition("?")[0].rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""
