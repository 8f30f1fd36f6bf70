"""Results of the library as data classes, one for each struct of the headers: `ModelInfo` has the fields of
elman_model_info. They are made on first use."""

from __future__ import annotations

import ctypes
import dataclasses

from elman._library import error_of, library
from elman._options import words_of

STRUCTS = {"".join(part.title() for part in name.split("_")[1:]): name for name in library.header.structs}
NAMES = {struct: name for name, struct in STRUCTS.items()}


def record_class(struct):
    """Return the class of a struct."""
    name = NAMES[struct]
    if name not in globals():
        made = dataclasses.make_dataclass(name, [field for field, _ in library.fields(struct)], frozen=True)
        made.__module__, made.__doc__ = __name__, f"The fields of {struct}."
        globals()[name] = made
    return globals()[name]


def __getattr__(name):
    if name in STRUCTS:
        return record_class(STRUCTS[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted(STRUCTS)


def value_of(value):
    """Return a value of C as one of Python, without memory of the library."""
    if isinstance(value, bytes):
        return value.decode(errors="surrogateescape")  # the name of a file need not be text
    if isinstance(value, ctypes.Array):
        return tuple(map(value_of, value))
    if hasattr(type(value), "contents"):
        return value_of(value.contents) if value else None
    if isinstance(value, library.complete("elman_error")):
        return error_of(value)
    if isinstance(value, library.complete("elman_span")):
        return value.start, value.end
    if isinstance(value, library.complete("elman_language")):
        return value.code.decode()
    return record_of(value) if isinstance(value, ctypes.Structure) else value


def record_of(struct):
    """Return a copy of the fields."""
    name, values = type(struct).__name__, {}
    for field, _ in library.fields(name):
        value, words = getattr(struct, field), words_of(name, field)
        if words is not None:
            value = next(word for word, number in words.items() if number == value)
        values[field] = value_of(value)
    return record_class(name)(**values)
