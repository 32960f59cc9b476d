"""What an image is, by its bytes; and what is none."""

from __future__ import annotations

import io
import random
import struct
import zlib
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from multiprocessing import get_context

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from surveyor.archive.errors import NotAnImage
from surveyor.archive.images import MAX_PIXELS, distance, inspect
from surveyor.archive.rights import Rights

pytestmark = pytest.mark.filterwarnings("ignore")  # Pillow warns of what is refused; so does the child

FORMATS = {"JPEG": "jpg", "PNG": "png", "GIF": "gif", "WEBP": "webp", "AVIF": "avif", "BMP": "bmp"}


def picture(width: int = 160, height: int = 120, seed: int = 0) -> Image.Image:
    rng = random.Random(seed)
    image = Image.new("RGB", (200, 200), (rng.randrange(256), 90, 160))
    draw = ImageDraw.Draw(image)
    for _ in range(12):
        x, y, size = rng.randrange(200), rng.randrange(200), rng.randrange(20, 90)
        draw.ellipse((x - size, y - size, x + size, y + size), tuple(rng.randrange(256) for _ in range(3)))
    return image.resize((width, height), Image.Resampling.LANCZOS)


def saved(image: Image.Image, form: str, **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, form, **options)  # type: ignore[arg-type]
    return out.getvalue()


def refusal(data: bytes) -> str:
    with pytest.raises(NotAnImage) as caught:
        inspect(data)
    assert "\n" not in str(caught.value)
    return caught.value.reason


def png_of(width: int, height: int) -> bytes:
    """A few bytes that announce a picture of any size."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(99)))


@pytest.mark.parametrize(("form", "name"), FORMATS.items())
def test_every_format_of_the_web_is_known_by_its_bytes(form: str, name: str) -> None:
    data = saved(picture(), form)
    facts = inspect(data)
    assert (facts.format, facts.width, facts.height) == (name, 160, 120)
    assert facts.sha256 == sha256(data).digest()
    assert facts.rights == Rights()


@pytest.mark.parametrize("form", FORMATS)
def test_a_picture_keeps_its_fingerprint_in_another_format_and_size(form: str) -> None:
    original = inspect(saved(picture(640, 480), "PNG"))
    copy = inspect(saved(picture(640, 480).resize((250, 188)), form))
    assert distance(original.dhash64, copy.dhash64) <= 4


def test_other_pictures_have_other_fingerprints() -> None:
    prints = [inspect(saved(picture(seed=seed), "PNG")).dhash64 for seed in range(12)]
    assert min(distance(a, b) for a in prints for b in prints if a is not b) > 10


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "I;16"])
def test_the_way_colours_are_stored_does_not_matter(mode: str) -> None:
    grey = picture().convert("L")
    stored = grey.convert("RGB").convert(mode) if mode != "I;16" else Image.new("I;16", grey.size)
    if mode == "I;16":
        stored.frombytes(b"".join(struct.pack("<H", value * 257) for value in grey.tobytes()))
    expected = inspect(saved(grey, "PNG")).dhash64
    assert distance(expected, inspect(saved(stored, "PNG")).dhash64) <= 10


def test_what_lies_under_transparent_pixels_does_not_matter() -> None:
    mask = Image.new("L", (160, 120), 0)
    ImageDraw.Draw(mask).ellipse((30, 10, 150, 100), 255)
    prints = set()
    for hidden in ("black", "white", "red"):
        image = Image.new("RGB", mask.size, hidden)
        image.paste(picture(), mask=mask)
        image.putalpha(mask)
        prints.add(inspect(saved(image, "PNG")).dhash64)
    assert len(prints) == 1


def test_a_picture_turned_by_its_camera_equals_the_one_turned_for_good() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by 90 degrees for display
    by_camera = inspect(saved(picture(), "JPEG", exif=exif))
    for_good = inspect(saved(picture().transpose(Image.Transpose.ROTATE_270), "PNG"))
    assert distance(by_camera.dhash64, for_good.dhash64) <= 3


def test_a_fingerprint_fits_a_signed_column() -> None:
    falling = Image.linear_gradient("L").rotate(-90)
    for image in (falling, falling.rotate(180), Image.new("L", (1, 1))):
        assert -(2**63) <= inspect(saved(image, "PNG")).dhash64 < 2**63
    assert inspect(saved(Image.new("L", (1, 1)), "PNG")).dhash64 == 0


def test_a_moving_picture_is_its_first_frame() -> None:
    frames = [picture(seed=seed) for seed in (1, 2, 3)]
    moving = saved(frames[0], "GIF", save_all=True, append_images=frames[1:])
    assert inspect(moving).dhash64 == inspect(saved(frames[0], "GIF")).dhash64


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"<!doctype html><title>Not found</title>", "markup"),
        (b"\xef\xbb\xbf\n <svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", "markup"),
        (b"<?xml version='1.0'?><svg/>", "markup"),
        (b"%PDF-1.7\n", "unknown_format"),
        (b"PK\x03\x04 zip", "unknown_format"),
        (b"GIF", "unknown_format"),
        (bytes(1000), "unknown_format"),
        (png_of(50_000, 50_000), "too_large"),
        (png_of(10_000, 10_000), "too_large"),
        (png_of(MAX_PIXELS + 1, 1), "too_large"),
        (png_of(100, 100), "truncated"),
    ],
)
def test_what_is_no_image_is_refused_with_the_reason(data: bytes, reason: str) -> None:
    assert refusal(data) == reason


def test_a_format_browsers_do_not_show_is_refused() -> None:
    assert refusal(saved(picture(), "TIFF")) == "unknown_format"


@pytest.mark.parametrize("form", ["JPEG", "PNG", "GIF", "WEBP", "AVIF", "BMP"])
def test_a_download_that_broke_off_is_refused(form: str) -> None:
    data = saved(picture(), form)
    for part in (0.3, 0.6, 0.9):
        assert refusal(data[: int(len(data) * part)]) in ("truncated", "damaged", "unknown_format")


@pytest.mark.parametrize("form", ["JPEG", "WEBP", "PNG"])
def test_rights_are_read_from_exif_in_one_printable_line(form: str) -> None:
    exif = Image.Exif()
    exif[0x8298] = "© 2026 Ana\x1b[31m\nMaria " + "x" * 9_000
    exif[0x013B] = "Ana Maria"
    rights = inspect(saved(picture(), form, exif=exif)).rights
    assert rights.copyright.isprintable()
    assert len(rights.copyright) == 500
    assert rights.creator == "Ana Maria"


XMP = b"""<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description
 plus:DataMining="http://ns.useplus.org/ldf/vocab/DMI-PROHIBITED" %b>
 <dc:rights><rdf:Alt><rdf:li xml:lang="x-default">Ana &amp; Maria</rdf:li></rdf:Alt></dc:rights>
 <dc:creator>
   <rdf:Seq><rdf:li>Ana</rdf:li></rdf:Seq>
 </dc:creator>
 <cc:license rdf:resource="https://creativecommons.org/licenses/by/4.0/"/>
</rdf:Description></rdf:RDF></x:xmpmeta>"""


def test_rights_are_read_from_xmp_without_parsing_it() -> None:
    facts = inspect(saved(picture(), "JPEG", xmp=XMP % b""))
    assert facts.rights == Rights(
        "Ana & Maria", "Ana", "https://creativecommons.org/licenses/by/4.0/", "DMI-PROHIBITED"
    )


@pytest.mark.parametrize("bomb", [b"<dc:rights", b"<dc:rights>" + b" " * 90, b"<dc:rights a", b"cc:license="])
def test_hostile_metadata_takes_no_time_and_gives_nothing(bomb: bytes) -> None:
    xmp = bomb * (60_000 // len(bomb))
    assert inspect(saved(picture(), "WEBP", xmp=xmp)).rights == Rights()


def test_broken_metadata_does_not_condemn_a_good_image() -> None:
    assert inspect(saved(picture(), "JPEG", exif=b"Exif\0\0II*\0\xff\xff\xff\xffgarbage")).rights == Rights()


@given(
    st.sampled_from([saved(picture(40, 30), form) for form in FORMATS]),
    st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=8),
)
@settings(max_examples=150)
def test_altered_bytes_give_facts_or_a_refusal_and_never_another_error(
    data: bytes, changes: list[tuple[float, int]]
) -> None:
    broken = bytearray(data)
    for share, value in changes:
        broken[int(share * len(data))] = value
    try:
        assert inspect(bytes(broken)).width > 0
    except NotAnImage as error:
        assert error.reason


def test_it_runs_in_a_process_pool_and_so_do_its_errors() -> None:
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        assert pool.submit(inspect, saved(picture(), "PNG")).result().format == "png"
        with pytest.raises(NotAnImage) as caught:
            pool.submit(inspect, b"<html>").result()
    assert caught.value.reason == "markup"
