"""`read(path)`: a shop's export of whatever kind, as products."""

from __future__ import annotations

import codecs
import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from charset_normalizer import from_bytes

from retrieval.feeds.base import Feed, FeedError, Listed, Problem, Products, Source, unique
from retrieval.feeds.formats import recognise

__all__ = ["Feed", "FeedError", "Problem", "read"]

_CHUNK = 1 << 20
_SAMPLE = 1 << 18  # bytes that are enough to guess an encoding
_ENCODINGS = ["gb18030", "big5", "shift_jis", "cp949", "cp1252"]  # what spreadsheets write where it is not UTF-8
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_FORMS = "Use a CSV file with a header (id, title, price, …) or JSON lines, in UTF-8."


def read(path: Path, currency: str = "USD", mapping: Mapping[str, str] | None = None) -> Feed:
    """Read a catalogue through once, whatever shop it is from; the feed then gives its products.

    `currency` is for prices that name none. `mapping` says what columns of a plain table mean, by role:
    `{"price": "售价"}`; an empty column says that there is none. Rows that cannot be used are skipped and listed in
    `Feed.problems`. Raises FeedError if the file is missing, empty, in no known form or encoding, or without one
    usable row, and where a role or column of `mapping` does not exist.
    """
    try:
        encoding, digest, head = _survey(path)
        source = Source(path, encoding, currency)
        found = recognise(source, head.decode(encoding, "ignore"), mapping or {})
        count, seen, problems = 0, 0, Listed()
        if encoding not in ("utf-8", "utf-8-sig"):
            problems.add(Problem(0, "", encoding, "not UTF-8", "read in the encoding it seems to have"))
        for row in unique(found.reader(source)):
            seen += 1
            count += row.product is not None
            problems.add(*row.problems)
    except UnicodeDecodeError as error:
        raise FeedError(f"{path} cannot be read as {encoding} (byte {error.start}). Save it again in UTF-8.") from error
    except OSError as error:
        raise FeedError(f"{path} cannot be read: {error.strerror or error}.") from error
    if not count:
        first = next((f" First: {problem}." for problem in problems.all() if problem.row), "")
        raise FeedError(f"{path} has no usable product: {seen} rows ({found.kind}), all skipped.{first} {_FORMS}")
    how = f"{digest} {found.kind} {currency} {json.dumps(dict(mapping or {}), sort_keys=True)}"
    settled = sha256(how.encode("utf-8", "surrogatepass")).hexdigest()
    return Feed(source, found.kind, settled, Products(source, found.reader, count), problems.all(), found.columns)


def _survey(path: Path) -> tuple[str, str, bytes]:
    """The encoding of the file, a digest of its bytes, and its beginning."""
    if path.is_dir():
        raise FeedError(f"{path} is a folder. Name the catalogue file in it.")
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
        raise FeedError(f"{path} is empty. {_FORMS}")
    marked = next((name for mark, name in _MARKS if head.startswith(mark)), None)
    if not marked and b"\0" in head:
        raise FeedError(f"{path} is not a text file. {_FORMS}")
    encoding = marked or ("utf-8" if utf8.valid else _guess(path, head))
    return encoding, digest.hexdigest(), head


class _Utf8:
    """Whether bytes that come in pieces are UTF-8."""

    def __init__(self) -> None:
        self.valid = True
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def feed(self, chunk: bytes, final: bool = False) -> None:
        try:
            if self.valid:
                self._decoder.decode(chunk, final)
        except UnicodeDecodeError:
            self.valid = False


def _guess(path: Path, head: bytes) -> str:
    best = from_bytes(head[: head.rfind(b"\n") + 1] or head, cp_isolation=_ENCODINGS).best()
    if best is None:
        raise FeedError(f"{path} is in no encoding that can be recognised. Save it again in UTF-8.")
    return best.encoding
