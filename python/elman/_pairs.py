"""Sentence pairs."""

from __future__ import annotations

import ctypes
import io
import os
import reprlib
import typing
from collections.abc import Mapping, Set

from elman._library import FINDINGS, Functions, Handle, call, library
from elman._options import expect, expect_function, fill, paths_of, strings, text_of, with_options, without_nul
from elman.records import value_of

Path = typing.Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


class Pair(typing.NamedTuple("Pair", [("source", str), ("target", str)])):
    """A sentence pair. `alignment` has its links i-j, or is empty; `file` and `line` are its place."""

    alignment: str = ""
    file: str = ""
    line: int = 0


def _is_list(value):
    return not isinstance(value, (str, bytes, os.PathLike)) and hasattr(type(value), "__iter__")


def _name_of(file):
    name = getattr(file, "name", None)
    return repr(name) if isinstance(name, (str, bytes)) else "line.rstrip().split('\t') for line in file"


def _items(values):
    """Return lists of sources, targets and alignments; None without alignments."""
    if hasattr(values, "itertuples"):  # a DataFrame of pandas
        values = values.itertuples(index=False, name=None)
    elif hasattr(values, "iter_rows"):  # of polars
        values = values.iter_rows()
    if isinstance(values, io.IOBase):
        raise TypeError(f"pairs are files by name, or a list of (source, target), not an open file; use Pairs({_name_of(values)})")
    if isinstance(values, (Mapping, bytes)) or not hasattr(type(values), "__iter__"):
        raise TypeError(f"pairs are files, or a list of (source, target), not {reprlib.repr(values)}")
    items = []
    for i, value in enumerate(values):
        if not isinstance(value, (str, bytes, Pair, Mapping, Set)) and hasattr(type(value), "__iter__"):
            value = tuple(value)
        if not isinstance(value, tuple) or not 2 <= len(value) <= 3:
            raise TypeError(f"pair {i + 1} must be (source, target) or (source, target, alignment), not {reprlib.repr(value)}")
        links = value.alignment if isinstance(value, Pair) else value[2] if len(value) == 3 else ""
        items.append([without_nul(f"{side} {i + 1}", text_of(f"{side} {i + 1}", text))
                      for side, text in (("source", value[0]), ("target", value[1]), ("alignment", links))])
    sources, targets, links = ([item[side] for item in items] for side in range(3))
    return sources, targets, links if any(links) else None


class Pairs(Handle, typing.Sequence[Pair]):
    """Sentence pairs from TSV files, from `source_file` and `target_file`, or from a list of (source, target) or
    (source, target, alignment), such as the rows of a data frame. `skipped` is called for each skipped line with file,
    line, kind ("not_utf8", ...) and problem; `skipped` of the object is their number."""

    @with_options("elman_pairs_options", without=("whole_lines",))
    def __init__(self, *files: typing.Any, skipped: typing.Callable[[str, int, str, str], object] | None = None,
                 **options: typing.Any) -> None:
        """Read or copy the pairs."""
        given, functions = fill(library.elman_pairs_options_default(), options, ("skipped",)), Functions()
        if expect_function("skipped", skipped) is not None:
            functions.set(given, "skipped", lambda file, line, fault, problem:
                          skipped(file, line, FINDINGS[fault], problem), value_of)
        if len(files) == 1 and _is_list(files[0]):
            sources, targets, links = _items(files[0])
            arguments = (library.elman_pairs_create, strings(sources), strings(targets),
                         None if links is None else strings(links), len(sources))
        else:
            if any(map(_is_list, files)):
                raise TypeError("pairs are files, or one list of (source, target): for two lists, Pairs(zip(sources, targets))")
            given.files, given.file_count = paths_of(files), len(files)
            arguments = (library.elman_pairs_read,)
        with functions:
            super().__init__(library.elman_pairs_free, *arguments, ctypes.byref(given))

    def __len__(self) -> int:
        with self._use() as pairs:
            return library.elman_pairs_count(pairs)

    @typing.overload
    def __getitem__(self, index: int) -> Pair: ...
    @typing.overload
    def __getitem__(self, index: slice) -> list[Pair]: ...

    def __getitem__(self, index):
        with self._use() as pairs:
            try:
                found = range(library.elman_pairs_count(pairs))[index]
            except IndexError:
                raise IndexError(f"the number of pairs is {library.elman_pairs_count(pairs)}, but the index is {index}") from None
            except TypeError:
                raise TypeError(f"the index of a pair is a whole number or a slice, not {index!r}") from None
            if isinstance(index, slice):
                return [_pair(library.elman_pairs_get(pairs, i)) for i in found]
            return _pair(library.elman_pairs_get(pairs, found))

    def __iter__(self) -> typing.Iterator[Pair]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        if not self._free.alive:
            return "<Pairs: closed>"
        count, skipped = len(self), self.skipped
        return f"<Pairs: {count:,} pair{'s' * (count != 1)}{f', {skipped:,} skipped' if skipped else ''}>"

    def __reduce__(self):
        return type(self), ([(*pair, pair.alignment) for pair in self],)

    @property
    def skipped(self) -> int:
        with self._use() as pairs:
            return library.elman_pairs_skipped(pairs)

    def doubts(self, training: Pairs | None = None) -> list[tuple[str, float, str]]:
        """Findings that ruin a model of these pairs, as a list of (kind, share of the pairs, place of the
        first). For dev pairs, `training` are the pairs to compare with."""
        found, function = [], library.elman_pairs_doubts
        note = function.argtypes[2](lambda _, finding, share, where: found.append(
            (FINDINGS[finding], share, value_of(where))))
        with self._use() as pairs, (self if training is None else pairs_of("training", training))._use() as typical:
            call(function, pairs, typical, note, None)
        return found


def _pair(it):
    text = ctypes.string_at
    pair = Pair(text(it.source, it.source_length).decode(), text(it.target, it.target_length).decode())
    pair.alignment = text(it.alignment, it.alignment_length).decode()
    pair.file, pair.line = value_of(it.file), it.line
    return pair


def pairs_of(name, value):
    if isinstance(value, (str, bytes, os.PathLike)) or (_is_list(value) and not isinstance(value, Pairs)):
        raise TypeError(f"{name} must be Pairs, not a {type(value).__name__}; use Pairs({name})")
    return expect(name, value, Pairs, "Pairs")
