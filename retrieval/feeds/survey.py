"""A first look at a file: what kind of bytes it holds, in which encoding, and a digest of them."""

from __future__ import annotations

import codecs
import zipfile
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from charset_normalizer import from_bytes

from retrieval.feeds.base import FeedError

FORMS = "Use a CSV file with a header (id, title, price, …) or JSON lines, in UTF-8."

_CHUNK = 1 << 20
_SAMPLE = 1 << 18  # bytes that are enough to guess an encoding
_ENCODINGS = ["gb18030", "big5", "shift_jis", "cp949", "cp1252"]  # what spreadsheets write where it is not UTF-8
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_FEW_NULS = 0.02  # of the bytes of a text that was damaged
_FEW_DAMAGED = 0.1  # of the characters beyond ASCII
_DAMAGED = "\udc00"  # stands for bytes that are not UTF-8, in which it cannot occur
_PICTURES = (b"\xff\xd8\xff", b"\x89PNG\r\n", b"GIF8", b"RIFF", b"BM", b"\0\0\1\0", b"%PDF", b"II*\0", b"MM\0*")

codecs.register_error("daogou-count", lambda error: (_DAMAGED, error.end))  # type: ignore[attr-defined]

Kind = Literal["text", "zip", "xlsx", "parquet"]


@dataclass(frozen=True)
class Survey:
    """`head`: the first 256 kB of a text."""

    kind: Kind
    encoding: str
    digest: str
    head: bytes
    errors: str = "strict"  # "replace": UTF-8 with a few damaged bytes


def is_picture(path: Path) -> bool:
    with path.open("rb") as file:
        start = file.read(16)
    return start.startswith(_PICTURES) or start[4:8] == b"ftyp"


def survey(path: Path) -> Survey:
    """Raises FeedError if there is no such file, if it is empty, or neither text nor a table that can be read."""
    if not path.exists():
        start = "" if path.is_absolute() else f"; relative ones start at {Path.cwd()}"
        raise FeedError(f"{path} does not exist. Check the path{start}.")
    if not path.is_file():
        raise FeedError(f"{path} is not an ordinary file. Save the catalogue to a file and name that.")
    digest, utf8 = sha256(), _Utf8()
    head = b""
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            head = head or chunk[:_SAMPLE]
            digest.update(chunk)
            utf8.feed(chunk)
    utf8.feed(b"", final=True)
    if not head.removeprefix(codecs.BOM_UTF8).strip():
        raise FeedError(f"{path} is empty. {FORMS}")
    if (kind := _packed(path, head)) is not None:
        return Survey(kind, "utf-8", digest.hexdigest(), b"")
    encoding = next((name for mark, name in _MARKS if head.startswith(mark)), None) or _unmarked_utf16(head)
    if not encoding and (head.startswith(b"PK\x03\x04") or head.count(0) > _FEW_NULS * len(head)):
        raise FeedError(f"{path} is not a text file. {FORMS}")
    damaged = not encoding and not utf8.valid and utf8.is_likely
    encoding = encoding or ("utf-8" if utf8.valid or damaged else _guess(path, head))
    return Survey("text", encoding, digest.hexdigest(), head, "replace" if damaged else "strict")


def _packed(path: Path, head: bytes) -> Kind | None:
    if head.startswith(b"PAR1"):
        return "parquet"
    if not head.startswith(b"PK\x03\x04") or not zipfile.is_zipfile(path):
        return None
    try:
        with zipfile.ZipFile(path) as archive:
            return "xlsx" if "xl/workbook.xml" in archive.namelist() else "zip"
    except (zipfile.BadZipFile, NotImplementedError, ValueError):
        return None


def _unmarked_utf16(head: bytes) -> str | None:
    """UTF-16 of mostly Western letters: every second byte is 0."""
    even, odd = head[0:4_000:2].count(0), head[1:4_000:2].count(0)
    half = max(1, min(len(head), 4_000) // 2)
    if odd > 0.4 * half and even < 0.05 * half:
        return "utf-16-le"
    return "utf-16-be" if even > 0.4 * half and odd < 0.05 * half else None


class _Utf8:
    """Whether bytes that come in pieces are UTF-8."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("daogou-count")
        self._foreign = 0  # characters beyond ASCII
        self._damaged = 0

    @property
    def valid(self) -> bool:
        return not self._damaged

    @property
    def is_likely(self) -> bool:
        """Most of what is beyond ASCII is UTF-8."""
        return self._damaged <= _FEW_DAMAGED * self._foreign

    def feed(self, chunk: bytes, final: bool = False) -> None:
        text = self._decoder.decode(chunk, final)
        if not text.isascii():
            damaged = text.count(_DAMAGED)
            self._damaged += damaged
            self._foreign += len(text) - damaged - len(text.encode("ascii", "ignore"))


def _guess(path: Path, head: bytes) -> str:
    best = from_bytes(head[: head.rfind(b"\n") + 1] or head, cp_isolation=_ENCODINGS).best()
    if best is None:
        raise FeedError(f"{path} is in no encoding that can be recognised. Save it again in UTF-8.")
    return best.encoding
