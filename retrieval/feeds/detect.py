"""`read(path)`: a shop's export of whatever kind, as products."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from retrieval.feeds import archive
from retrieval.feeds.base import (
    Feed,
    FeedError,
    Listed,
    NoProductError,
    Problem,
    Products,
    RawFile,
    Row,
    Source,
    unique,
)
from retrieval.feeds.formats import Format, recognise
from retrieval.feeds.survey import FORMS, survey

__all__ = ["Feed", "FeedError", "Problem", "read"]


@dataclass(frozen=True)
class _File:
    """One file of a feed. `name`: of several, what to call it."""

    name: str
    source: Source
    format: Format
    digest: str

    @property
    def raw(self) -> RawFile:
        return RawFile(self.name, self.source, self.format.form, self.format.raw)

    def rows(self) -> Iterator[Row]:
        if self.source.errors != "strict":
            damaged = Problem(0, "", "", "holds bytes that are not UTF-8", "\ufffd taken for them", self.name)
            yield Row(0, None, (damaged,), self.name)
        try:
            for row in self.format.reader(self.source):
                told = (
                    tuple(replace(problem, file=self.name) for problem in row.problems) if self.name else row.problems
                )
                yield Row(row.number, row.product, told, self.name, row.numbers)
        except UnicodeDecodeError as error:
            raise _undecodable(self.source, error) from error


def read(path: Path, currency: str = "USD", mapping: Mapping[str, str] | None = None) -> Feed:
    """Read a catalogue through once, whatever shop it is from; the feed then gives its products.

    `path` is a file, a zip, or a folder of files. `currency` is for prices that name none. `mapping` says what columns
    of a plain table mean, by role: `{"price": "售价"}`; an empty column says that there is none. Rows that cannot be
    used are skipped and listed in `Feed.problems`. Raises FeedError if the file is missing, empty, in no known form or
    encoding, and where a role or column of `mapping` does not exist; NoProductError if no row of it can be used.
    """
    problems = Listed()
    try:
        files, packed = _files(path, currency, mapping or {}, problems)
        about = problems.all()
        kind = files[0].format.kind if len({file.format.kind for file in files}) == 1 else "several forms"

        # What was unpacked stays as long as the reader, and as long as what it gives is being read.
        def reader(_: Source, packed: object = packed) -> Iterator[Row]:
            for file in files:
                yield from file.rows()

        source = files[0].source if len(files) == 1 else Source(path, "utf-8", currency)
        count, seen = 0, 0
        for row in unique(reader(source)):
            seen += 1
            count += row.product is not None
            problems.add(*row.problems)
    except OSError as error:
        raise FeedError(f"{path} cannot be read: {error.strerror or error}.") from error
    how = [*(file.digest for file in files), kind, currency]
    if mapping:
        how.append(json.dumps(dict(mapping), sort_keys=True))
    digest = sha256(" ".join(how).encode("utf-8", "surrogatepass")).hexdigest()
    columns = next((file.format.columns for file in files if file.format.columns), ())
    raw = tuple(file.raw for file in files)
    feed = Feed(source, kind, digest, Products(source, reader, count), problems.all(), columns, raw, about)
    if not count:
        first = next((f" First: {problem}." for problem in feed.problems if problem.row), "")
        raise NoProductError(f"{path} has no usable product: {seen} rows ({kind}), all skipped.{first} {FORMS}", feed)
    return feed


def _files(
    path: Path, currency: str, mapping: Mapping[str, str], problems: Listed
) -> tuple[list[_File], list[archive.Files]]:
    """The files that hold products, and what they were unpacked to."""
    if not path.is_dir():
        looked = survey(path)
        if looked.kind != "zip":
            file = _file("", path, currency, mapping)
            if file.source.encoding not in ("utf-8", "utf-8-sig"):
                done = "read in the encoding it seems to have"
                problems.add(Problem(0, "", file.source.encoding, "not UTF-8", done))
            return [file], []
    packed = [archive.of_folder(path) if path.is_dir() else archive.of_zip(path)]
    found: list[_File] = []
    unfit: list[FeedError] = []
    for name, member in _members(path, packed, problems):
        try:
            file, why = _fitting(name, member, currency, mapping)
        except FeedError as error:
            problems.add(_left(name, member, error, "file left out"))
            continue
        found.append(file)
        if why:
            unfit.append(why)
            problems.add(_left(name, member, why, "read without the mapping"))
    if unfit and len(unfit) == len(found):
        raise unfit[0]
    problems.add(*(problem for files in packed for problem in files.problems))
    if not found:
        first = next((f" {problem}." for problem in problems.all()), "")
        raise FeedError(f"{path} holds no file with products.{first} {FORMS}")
    return (found if len(found) > 1 else [replace(found[0], name="")]), packed


def _members(path: Path, packed: list[archive.Files], problems: Listed) -> Iterator[tuple[str, Path]]:
    """The files of a zip or folder, those in zips of a folder too."""
    for name, member in packed[0].found:
        try:
            if not path.is_dir() or survey(member).kind != "zip":
                yield name, member
                continue
            packed.append(archive.of_zip(member))
        except FeedError as error:
            problems.add(_left(name, member, error, "file left out"))
            continue
        inner = packed[-1].found
        for part, at in inner:
            yield name if len(inner) == 1 else f"{name}/{part}", at


def _fitting(name: str, path: Path, currency: str, mapping: Mapping[str, str]) -> tuple[_File, FeedError | None]:
    """A file with the mapping, or without it and why: files of a known form need none."""
    try:
        return _file(name, path, currency, mapping), None
    except FeedError as error:
        if not mapping:
            raise
        return _file(name, path, currency, {}), error


def _left(name: str, path: Path, error: FeedError, done: str) -> Problem:
    return Problem(0, "", "", str(error).replace(f"{path} ", "")[:200].rstrip(". "), done, name)


def _file(name: str, path: Path, currency: str, mapping: Mapping[str, str]) -> _File:
    looked = survey(path)
    source = Source(path, looked.encoding, currency, looked.errors)
    try:
        return _File(name, source, recognise(source, looked, mapping), looked.digest)
    except UnicodeDecodeError as error:
        raise _undecodable(source, error) from error


def _undecodable(source: Source, error: UnicodeDecodeError) -> FeedError:
    return FeedError(f"{source.path} cannot be read as {source.encoding} (byte {error.start}). Save it again in UTF-8.")
