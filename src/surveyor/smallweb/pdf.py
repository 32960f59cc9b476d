"""A PDF written by hand: one page of text in Helvetica, enough for a call that exists only as a document."""

from __future__ import annotations

_LEADING = 16  # points between two lines
_TOP = 780  # points from below, on A4
_LONGEST = 88  # characters of a line at 11 points


def to_pdf(text: str) -> bytes:
    """The text, line by line; letters outside Western European ones become question marks."""
    shown = [piece for line in text.strip().splitlines() for piece in (_wrapped(line) or [""])]
    moves = b"\n".join(b"(%s) Tj T*" % _escaped(line) for line in shown)
    stream = b"BT /F1 11 Tf %d TL 56 %d Td\n%s\nET" % (_LEADING, _TOP, moves)
    return _assembled(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
            b" /Resources << /Font << /F1 5 0 R >> >> >>",
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        ]
    )


def _wrapped(line: str) -> list[str]:
    pieces: list[str] = []
    for word in line.split():
        if pieces and len(pieces[-1]) + len(word) < _LONGEST:
            pieces[-1] += f" {word}"
        else:
            pieces.append(word)
    return pieces


def _escaped(line: str) -> bytes:
    raw = line.encode("cp1252", "replace")
    return raw.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


def _assembled(objects: list[bytes]) -> bytes:
    """The file: objects, the table of where they are, and where that table is."""
    out, places = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    trailer = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table) + trailer
