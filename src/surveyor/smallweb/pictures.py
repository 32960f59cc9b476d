"""Pictures drawn from a description: a scene, a number and a size; with the rights their author gives.

The same description is always the same bytes. Nothing is drawn before it is asked for, and Pillow
is not imported before that either.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from io import BytesIO
from random import Random
from typing import TYPE_CHECKING

from surveyor.errors import BadInput
from surveyor.smallweb.sites import Picture

if TYPE_CHECKING:
    from PIL.Image import Exif, Image
    from PIL.ImageDraw import ImageDraw

_FORMATS = {".jpg": ("JPEG", "image/jpeg"), ".png": ("PNG", "image/png"), ".webp": ("WEBP", "image/webp")}
_QUALITY = 82  # of 100; small files that still look like what they are
_COPYRIGHT, _ARTIST, _DESCRIPTION = 0x8298, 0x013B, 0x010E  # EXIF's numbers

Colour = tuple[int, int, int]


def content_type(picture: Picture) -> str:
    return _format(picture)[1]


def _drawn(scene: str, seed: int, width: int, height: int) -> Image:
    from PIL import Image, ImageDraw

    if scene not in SCENES:
        raise BadInput(f"there is no scene {scene}; there are {', '.join(SCENES)}")
    random = Random(f"{scene} {seed}")
    image = Image.new("RGB", (width, height))
    SCENES[scene](ImageDraw.Draw(image), random, width, height)
    return image


def to_bytes(picture: Picture) -> bytes:
    """The file, with what its author says in EXIF and XMP."""
    image = _drawn(picture.scene, picture.seed, picture.width, picture.height)
    kind = _format(picture)[0]
    out = BytesIO()
    if kind == "PNG":
        image.save(out, kind)
    else:
        exif = _exif(image, picture)
        image.save(out, kind, quality=_QUALITY, exif=exif.tobytes(), xmp=_xmp(picture).encode())
    return out.getvalue()


def _format(picture: Picture) -> tuple[str, str]:
    ending = picture.path[picture.path.rfind(".") :]
    if ending not in _FORMATS:
        raise BadInput(f"{picture.path}: pictures end with one of {', '.join(_FORMATS)}")
    return _FORMATS[ending]


def _exif(image: Image, picture: Picture) -> Exif:
    exif = image.getexif()
    texts = {_COPYRIGHT: picture.copyright, _ARTIST: picture.author, _DESCRIPTION: picture.title}
    for number, text in texts.items():
        if text:
            exif[number] = text.encode("ascii", "replace").decode()
    return exif


def _xmp(picture: Picture) -> str:
    licence = f'<cc:license rdf:resource="{escape(picture.licence)}"/>' if picture.licence else ""
    mining = f"<plus:DataMining>{picture.data_mining}</plus:DataMining>" if picture.data_mining else ""
    return (
        '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        '<rdf:Description rdf:about="" xmlns:cc="http://creativecommons.org/ns#"'
        ' xmlns:plus="http://ns.useplus.org/ldf/xmp/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:creator>{escape(picture.author)}</dc:creator>{licence}{mining}"
        "</rdf:Description></rdf:RDF></x:xmpmeta>"
    )


# -- scenes


def _sea(draw: ImageDraw, random: Random, width: int, height: int) -> None:
    line = height * random.randint(35, 60) // 100
    _sky(draw, width, line, (random.randint(90, 250), 160, 210), (240, 220, random.randint(120, 220)))
    _shades(draw, line, height, width, (20, 90, 130), (10, 30, random.randint(50, 110)))
    x, size = random.randint(width // 8, width * 7 // 8), height // random.randint(8, 14)
    draw.ellipse((x - size, line - 2 * size, x + size, line), fill=(255, 230, 150))
    for _ in range(random.randint(1, 4)):
        _boat(
            draw,
            random.randint(0, width),
            random.randint(line, max(line, height - 40)),
            random.randint(20, 60),
        )


def _boat(draw: ImageDraw, x: int, y: int, size: int) -> None:
    draw.polygon([(x, y), (x + size, y), (x + size * 3 // 4, y + size // 4), (x + size // 4, y + size // 4)],
                 fill=(90, 40, 30))  # fmt: skip
    draw.polygon([(x + size // 2, y - size), (x + size // 2, y - 3), (x + size, y - 3)], fill=(250, 250, 240))


def _hills(draw: ImageDraw, random: Random, width: int, height: int) -> None:
    _sky(draw, width, height, (120, 170, random.randint(200, 250)), (250, random.randint(180, 240), 200))
    for ridge in range(random.randint(3, 6)):
        level = height * (35 + 12 * ridge) // 100
        steps = random.randint(4, 9)
        points = [(width * step // steps, level + random.randint(-60, 60)) for step in range(steps + 1)]
        shade = max(20, 150 - 28 * ridge)
        draw.polygon([(0, height), *points, (width, height)], fill=(shade // 2, shade, shade * 2 // 3))


def _city(draw: ImageDraw, random: Random, width: int, height: int) -> None:
    night = random.random() < 0.5
    top, below = ((15, 18, 50), (70, 50, 90)) if night else ((150, 190, 230), (240, 230, 220))
    _sky(draw, width, height, top, below)
    x = 0
    while x < width:
        wide, tall = random.randint(40, 110), random.randint(height // 5, height * 4 // 5)
        shade = random.randint(30, 60) if night else random.randint(120, 190)
        draw.rectangle((x, height - tall, x + wide, height), fill=(shade, shade, shade + 15))
        for wx in range(x + 8, x + wide - 10, 18):
            for wy in range(height - tall + 10, height - 12, 24):
                if random.random() < 0.6:
                    draw.rectangle(
                        (wx, wy, wx + 8, wy + 12), fill=(250, 220, 130) if night else (90, 110, 140)
                    )
        x += wide + random.randint(0, 12)


def _flower(draw: ImageDraw, random: Random, width: int, height: int) -> None:
    draw.rectangle((0, 0, width, height), fill=(248, 243, random.randint(220, 240)))
    x, y, size = width // 2 + random.randint(-60, 60), height // 3, min(width, height) // 6
    draw.line((x, y, x + random.randint(-40, 40), height), fill=(60, 110, 50), width=8)
    colour = (random.randint(140, 240), random.randint(40, 120), random.randint(60, 220))
    for dx, dy in [(0, -1), (1, 0), (0, 1), (-1, 0), (1, 1), (-1, -1), (1, -1), (-1, 1)]:
        cx, cy = x + dx * size * 3 // 4, y + dy * size * 3 // 4
        draw.ellipse((cx - size // 2, cy - size // 2, cx + size // 2, cy + size // 2), fill=colour)
    draw.ellipse((x - size // 2, y - size // 2, x + size // 2, y + size // 2), fill=(240, 200, 60))


def _pattern(draw: ImageDraw, random: Random, width: int, height: int) -> None:
    step = random.randint(30, 90)
    colours = [tuple(random.randint(30, 240) for _ in range(3)) for _ in range(4)]
    for x in range(0, width, step):
        for y in range(0, height, step):
            colour = random.choice(colours)
            draw.rectangle((x, y, x + step, y + step), fill=(colour[0], colour[1], colour[2]))
            if random.random() < 0.4:
                draw.ellipse((x + 5, y + 5, x + step - 5, y + step - 5), fill=(245, 240, 230))


def _sky(draw: ImageDraw, width: int, height: int, top: Colour, below: Colour) -> None:
    _shades(draw, 0, height, width, top, below)


def _shades(draw: ImageDraw, start: int, end: int, width: int, top: Colour, below: Colour) -> None:
    for y in range(start, end):
        part = (y - start) / max(1, end - start)
        red, green, blue = (round(a + (b - a) * part) for a, b in zip(top, below, strict=True))
        draw.line((0, y, width, y), fill=(red, green, blue))


SCENES: dict[str, Callable[[ImageDraw, Random, int, int], None]] = {
    "sea": _sea,
    "hills": _hills,
    "city": _city,
    "flower": _flower,
    "pattern": _pattern,
}
