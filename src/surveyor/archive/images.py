"""What an image is, by its bytes: format, size, identity, fingerprint and its own word on rights.

Decoding is where hostile images do harm. So this runs in the children of `inspector` and
never in a worker, the size is read from the header before a pixel is decoded, and only
the formats browsers show are tried. SVG is no image here: it is a document that may
carry scripts.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from hashlib import sha256
from operator import lt
from struct import Struct

from PIL import Image, ImageOps, UnidentifiedImageError

from surveyor.archive.errors import NotAnImage
from surveyor.archive.rights import Rights, read_rights

# Pixels, as the header tells them: 256 MB when decoded with transparency, more than any
# photograph on a web page has.
MAX_PIXELS = 64_000_000
# Pillow's name of a format: ours, which is also the extension its file gets. MPO is a JPEG
# with further pictures behind the first.
_FORMATS = {
    "JPEG": "jpg",
    "MPO": "jpg",
    "PNG": "png",
    "GIF": "gif",
    "WEBP": "webp",
    "AVIF": "avif",
    "BMP": "bmp",
}
_TRIED = tuple(name for name in _FORMATS if name != "MPO")


@dataclass(frozen=True, slots=True)
class ImageFacts:
    """`dhash64` is signed, as a BIGINT column takes it; a picture without any edge has 0."""

    format: str
    width: int
    height: int
    sha256: bytes
    dhash64: int
    rights: Rights


def inspect(data: bytes) -> ImageFacts:
    """Facts about an image, or `NotAnImage` with the reason. Holds all of the decoded image in memory."""
    if not data:
        raise NotAnImage("empty", "there are no bytes")
    try:
        return _facts(data)
    except NotAnImage:
        raise
    except UnidentifiedImageError:
        raise _unidentified(data) from None
    except Image.DecompressionBombError as error:
        raise NotAnImage("too_large", str(error)) from None
    except Exception as error:
        # Decoders answer to broken data with whatever their parsers raise.
        raise NotAnImage("truncated" if "truncated" in str(error) else "damaged", _message(error)) from None


def distance(one: int, other: int) -> int:
    """In how many of 64 places two fingerprints differ: up to about 10 is the same picture."""
    return ((one ^ other) & 0xFFFF_FFFF_FFFF_FFFF).bit_count()


def _facts(data: bytes) -> ImageFacts:
    with Image.open(io.BytesIO(data), formats=_TRIED) as image:
        width, height = image.size
        if width * height > MAX_PIXELS:
            raise NotAnImage("too_large", f"{width} x {height} pixels are more than {MAX_PIXELS}")
        kind = _FORMATS[image.format or ""]
        dhash = _dhash(image)  # decodes, so that a cut off image is noticed before anything else is read
        return ImageFacts(kind, width, height, sha256(data).digest(), dhash, _rights(image))


def _dhash(image: Image.Image) -> int:
    """One bit for each step to the right in a 9 x 8 grey thumbnail: set where it gets brighter."""
    # A JPEG is decoded at an eighth of its size if that is enough; all of its data is still read.
    image.draft("L", (72, 64))
    grey = _upright(_on_white(image))
    small = grey.resize((9, 8), Image.Resampling.LANCZOS, reducing_gap=3.0)
    pixels = small.tobytes()
    left, right = b"".join(_LEFT.unpack(pixels)), b"".join(_RIGHT.unpack(pixels))
    bits = int(bytes(map(lt, left, right)).translate(_DIGITS), 2)
    return bits - (1 << 64) if bits >> 63 else bits


# Eight rows of nine pixels without the last of each, and without the first.
_LEFT, _RIGHT = Struct("8sx" * 8), Struct("x8s" * 8)
_DIGITS = bytes.maketrans(b"\x00\x01", b"01")


def _on_white(image: Image.Image) -> Image.Image:
    """Grey, with transparency over white: what lies under transparent pixels is arbitrary."""
    if image.mode.startswith("I"):  # 16 bits per pixel, which a plain conversion would clip
        return image.convert("I").point(lambda value: value / 256).convert("L")
    if not image.has_transparency_data:
        return image.convert("L")
    coloured = image.convert("LA")
    white = Image.new("L", image.size, 255)
    white.paste(coloured.getchannel("L"), mask=coloured.getchannel("A"))
    return white


def _upright(image: Image.Image) -> Image.Image:
    """Turned as the camera says, as copies of it elsewhere will be."""
    try:
        return ImageOps.exif_transpose(image)
    except Exception:  # broken metadata in a good image
        return image


def _rights(image: Image.Image) -> Rights:
    try:
        return read_rights(image)
    except Exception:  # as above
        return Rights()


def _unidentified(data: bytes) -> NotAnImage:
    start = data[:1024].removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"<"):
        return NotAnImage("markup", "it is HTML, SVG or XML")
    return NotAnImage("unknown_format", f"it begins with {data[:8].hex(' ')}")


def _message(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".replace("\n", " ")[:200]
