"""Python values to C: texts, paths, lists and options."""

from __future__ import annotations

import ctypes
import functools
import inspect
import json
import logging
import os
import reprlib
import typing

import numpy

from elman._library import Error, library, message_of

MOST_OPTIONS = library.header.sizes["ELMAN_MAX_OPTIONS"]
NAMES, JSON = library.enum("elman_naming")["field"], library.enum("elman_form")["json"]


def expect(name, value, kind, form):
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be {form}, not {reprlib.repr(value)}")
    return value


def expect_function(name, function):
    if function is not None and not callable(function):
        raise TypeError(f"{name} must be a function, not {function!r}")
    return function


def without_nul(name, data):
    """Refuse NUL, which ends a text in C."""
    if b"\0" in data:
        raise ValueError(f"{name} contains a NUL: {data!r}")
    return data


def path_of(name, value):
    return without_nul(name, os.fsencode(expect(name, value, (str, bytes, os.PathLike), "a path")))


def paths_of(values):
    return strings(path_of("a file", value) for value in values)


def text_of(name, value):
    """Encode as UTF-8, independently of the locale."""
    expect(name, value, str, "a text (str)")
    try:
        return value.encode()
    except UnicodeEncodeError as error:
        raise Error("bad_data", f"{name} is not valid Unicode: U+{ord(value[error.start]):04X}, half of a "
                    f"surrogate pair, at character {error.start + 1}") from None


def list_of(name, values, form):
    """Return a list. A str is refused, although it is a sequence of characters."""
    if isinstance(values, (str, bytes, dict)) or not hasattr(type(values), "__iter__"):
        raise TypeError(f"{name} must be a list of {form}, not {reprlib.repr(values)}")
    return list(values)


def texts_of(name, values):
    return strings([without_nul(f"{name}[{i}]", text_of(f"{name}[{i}]", value))
                     for i, value in enumerate(list_of(name, values, "texts"))])


def strings(texts):
    texts = list(texts)
    return (ctypes.c_char_p * len(texts))(*texts)


def hint(typed, answers):
    """Return the end of a message about an unknown name: the answer whose name was probably meant, why there
    is none, or nothing. `answers` are by name."""
    if not isinstance(typed, str) or "\0" in typed:
        return ""
    suggestion, typed = library.complete("elman_suggestion")(), typed.encode(errors="replace")
    names = [name.encode() for name in answers]  # the suggestion borrows them
    for name in names:
        library.elman_suggestion_offer(ctypes.byref(suggestion), typed, name)
    if suggestion.best is not None:
        return f"; did you mean {answers[suggestion.best.decode()]!r}?"
    reason = library.elman_suggestion_reason(typed)
    return f"; {reason.decode()}" if reason is not None else ""


def word_of(name, value, words):
    """Return the value of an enum for its word."""
    if not isinstance(value, str) or value not in words:
        kind = ValueError if isinstance(value, str) else TypeError
        raise kind(f"{name} must be one of {', '.join(words)}, not {value!r}"
                   f"{hint(value, {word: word for word in words})}")
    return words[value]


@functools.cache
def words_of(struct, field):
    """Return the words of the values of an enum; None if the field is not an enum."""
    row, enum = library.rows_of[struct].get(field), library.enums_of[struct].get(field)
    if row is not None and row.value == library.enum("elman_value")["enum"]:
        return library.choices(row)
    return library.enum(enum) if enum is not None else None


def number_of(name, value, kind):
    is_bool = isinstance(value, (bool, numpy.bool_))
    if kind is ctypes.c_bool:
        if not is_bool:
            raise TypeError(f"{name} must be True or False, not {value!r}")
        return bool(value)
    if kind is ctypes.c_double:
        if is_bool or not hasattr(type(value), "__float__"):
            raise TypeError(f"{name} must be a number, not {value!r}")
        return float(value)
    if is_bool or not hasattr(type(value), "__index__"):  # NumPy integers have it, 2.5 does not
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    whole = value.__index__()
    if not 0 <= whole < 1 << 8 * ctypes.sizeof(kind):
        raise ValueError(f"{name} must be a whole number from 0 to {(1 << 8 * ctypes.sizeof(kind)) - 1}, not {value}")
    return whole


SCALARS = ctypes.c_char_p, ctypes.c_bool, ctypes.c_double, ctypes.c_size_t, ctypes.c_uint64


def json_of(value):
    """Return a value as JSON, or as Python shows it."""
    if isinstance(value, numpy.generic):
        value = value.item()
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return repr(value)


# Fields that Python does not take: a Translation has its weights.
NOT_TAKEN = {"elman_translate_options": ("without_attention",)}


def fields_of(struct):
    """Return the fields of a struct of options that Python takes: their kinds by name."""
    return {name: kind for name, kind in library.fields(struct) if name not in NOT_TAKEN.get(struct, ())}


def set_row(options, row, value):
    """Set a field by its row in the table of the library."""
    error = library.complete("elman_error")()
    if library.elman_option_set(ctypes.byref(row), ctypes.byref(options), json_of(value).encode(), JSON, NAMES,
                                ctypes.byref(error)):
        message = error.message.decode()
        if value is None or isinstance(value, bool):  # the message has null, true or false
            message = message.replace(f"not {json_of(value)}", f"not {value!r}")
        raise (ValueError if is_of_type(type(options).__name__, row.name.decode(), value) else TypeError)(message)


def is_of_type(struct, field, value):
    """Return whether a value has the type of a field, whatever the value is."""
    kind = dict(library.fields(struct))[field]
    if words_of(struct, field) is not None or kind in (ctypes.c_char_p, library.complete("elman_language")):
        return isinstance(value, str)
    if isinstance(value, (bool, numpy.bool_)) or kind is ctypes.c_bool:
        return kind is ctypes.c_bool and isinstance(value, (bool, numpy.bool_))
    return hasattr(type(value), "__float__" if kind is ctypes.c_double else "__index__")


USERS = {}  # the function that takes the fields of a struct of options, for messages

# Options of other libraries that show the progress of training.
OF_OTHERS = "verbose", "verbosity", "callback", "callbacks", "progress", "progress_bar", "disp"


def unknown_option(struct, name, own=()):
    """Return the message about a name that is no option of the struct."""
    if not isinstance(name, str) or "\0" in name:
        return f"unknown option {name!r}"
    kinds = fields_of(struct)
    inner = [field for field, other in kinds.items() if name in dict(getattr(other, "_fields_", ()))]
    if inner:
        return f"unknown option '{name}'; it is a field of {inner[0]}"
    others = [field.encode() for field, kind in kinds.items()
              if field not in library.rows_of[struct] and not field.endswith("_count")
              and (kind in SCALARS or issubclass(kind, ctypes.Structure))]
    if "epoch_ended" in own and name in OF_OTHERS:
        return f"unknown option '{name}'; epoch_ended=print shows the progress"
    error, scopes = library.complete("elman_error")(), library.scopes(struct)
    library.elman_option_refuse(scopes, name.encode(), strings([*others, *(each.encode() for each in own), None]), NAMES, ctypes.byref(error))
    message = error.message.decode()
    users = [user for other, user in USERS.items() if name in fields_of(other)]
    return f"{message}; it is an option of {users[0]}" if users and message == f"unknown option '{name}'" else message


def fill(options, values, own=()):
    """Set the fields that users may set: all except pointers to anything other than text. `own` are names of
    parameters that a message about an unknown option may suggest."""
    struct = type(options).__name__
    kinds = fields_of(struct)
    if not isinstance(values, dict):
        raise TypeError(f"a dictionary with fields of {struct} is needed, not {values!r}")
    for name, value in values.items():
        row, kind = library.rows_of[struct].get(name), kinds.get(name)
        words = words_of(struct, name) if kind is not None else None
        if row is not None:
            set_row(options, row, value)
        elif words is not None:
            setattr(options, name, word_of(name, value, words))
        elif kind is ctypes.c_char_p:
            setattr(options, name, None if value is None else path_of(name, value))
        elif kind in SCALARS:
            setattr(options, name, number_of(name, value, kind))
        elif kind is not None and issubclass(kind, ctypes.Structure):
            inner = fill_search if kind is library.complete("elman_translate_options") else fill
            setattr(options, name, inner(getattr(options, name), value))
        else:
            raise TypeError(unknown_option(struct, name, own))
    return options


def fill_search(options, values, own=()):
    """Fill elman_translate_options, and check the rules between the options."""
    fill(options, values, own)
    if "beam" not in values:
        options.beam = max(options.beam, options.n_best)
    return check(options, values)


def check(options, values):
    """Check the rules between the options given as `values`, and return the options."""
    check_rows(library.elman_options_check, library.scopes(type(options).__name__), options, values)
    return options


def given_rows(options, values):
    """Return an array that states which rows of the options are given as `values`."""
    rows, given = library.rows_of[type(options).__name__], (ctypes.c_bool * MOST_OPTIONS)()
    for name in values:
        if name in rows:
            given[rows[name].index] = True
    return given


def check_rows(check, scopes, options, values, *reason):
    """Let the library check the options given as `values`."""
    error, given = library.complete("elman_error")(), given_rows(options, values)
    if check(scopes, ctypes.byref(options), given, *reason, NAMES, ctypes.byref(error)):
        raise ValueError(error.message.decode())


def check_reference(options, values, references):
    """Refuse options that have no effect if every text has a reference, and a text that is split and has one."""
    if references and None not in references:
        scopes = sum(library.enum("elman_scope")[name] for name in ("search", "list", "sampling", "text"))
        check_rows(library.elman_options_unused, scopes, options, values, b"all texts have references")
    if values.get("split_sentences") == "on" and any(each is not None for each in references):
        raise ValueError("a reference is the translation of one sentence, but split_sentences is on")


def names_of(function):
    """Yield the names that a function of the library returns for the indices from 0."""
    index = 0
    while (name := getattr(library, function)(index)) is not None:
        yield name.decode()
        index += 1


PRESETS = {name: name for name in names_of("elman_preset_name")}
LOG = logging.getLogger("elman")


def preset_of(name, options, values):
    """Return an elman_preset that leaves the options given as `values`. The log gets its notes."""
    preset = library.complete("elman_preset")(name=word_of("preset", name, PRESETS).encode(),
                                              given=given_rows(options, values))
    preset.note = dict(preset._fields_)["note"](lambda _, message: LOG.info(message_of(message)))
    return preset


KINDS = {ctypes.c_char_p: str, ctypes.c_bool: bool, ctypes.c_double: float, ctypes.c_size_t: int, ctypes.c_uint64: int,
         library.complete("elman_language"): str}
FILES = "checkpoint", "output", "source_file", "target_file", "alignment_file"


def options_of(struct, names=None):
    """Yield name, type, default and help of the fields of a struct that users may set."""
    defaults = getattr(library, struct + "_default")()
    for name, kind in fields_of(struct).items():
        row, words, found = library.rows_of[struct].get(name), words_of(struct, name), getattr(defaults, name)
        if row is not None and row.value == library.enum("elman_value")["name"]:
            words = library.choices(row)
        elif row is None and f"elman_{name}_name" in library.header.functions:  # such as elman_bleu_tokens_name
            words = {word: i for i, word in enumerate(names_of(f"elman_{name}_name"))}
        if issubclass(kind, ctypes.Structure) and kind not in KINDS:
            yield name, typing.Dict[str, typing.Any], {}, f"fields of {kind.__name__}, by name"
            continue
        if (words is None and kind not in KINDS) or name.endswith("_count") or not (names is None or name in names):
            continue
        if words is not None:
            annotation = typing.Literal[tuple(word for word in words if word)]
            default = found.decode() if isinstance(found, bytes) else next(
                (word for word, number in words.items() if number == found), next(iter(words)))
            default = default if default is not None else next(iter(words))
        else:
            annotation = typing.Union[str, "os.PathLike[str]", None] if name in FILES else KINDS[kind]
            default = found.decode() if isinstance(found, bytes) else getattr(found, "code", found)
            default = default.decode() if isinstance(default, bytes) else default
        text = row.help.decode() if row is not None else "" if words else library.header.help_of(struct, name)
        if row is not None and words is None and row.maximum > row.minimum:
            text += f" ({row.minimum:.6g} to {row.maximum:.6g})"
        if default == ctypes.c_size_t(-1).value:  # ELMAN_EPOCHS_AUTO
            default = None
        yield name, annotation, default, text


def with_options(struct, without=(), **others):
    """Give a function the fields of a struct of options in its signature and documentation. `others` are names of
    fields by struct, and `without` names fields that the function does not take."""

    def decorate(function):
        USERS.setdefault(struct, function.__qualname__)
        own = [each for each in inspect.signature(function).parameters.values() if each.kind is not each.VAR_KEYWORD]
        found = [each for each in options_of(struct) if each[0] not in without]
        for other, names in others.items():
            found += options_of(other, names)
        function.__signature__ = inspect.Signature(
            [*own, *(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
                     for name, annotation, default, _ in found)],
            return_annotation=inspect.signature(function).return_annotation)
        lines = [f"    {name} = {default!r}" + (f": {text}" if text else "") for name, _, default, text in found]
        function.__doc__ = inspect.cleandoc(function.__doc__) + "\n\nOptions and their defaults:\n\n" + "\n".join(lines)
        return function
    return decorate


# Fields of elman_evaluate_options that have no effect on scores.
WITHOUT_EFFECT = {"translate": ("n_best", "without_scores", "split_sentences"), "metric": ("resamples", "seed")}


def evaluate_options(given, options):
    """Fill elman_evaluate_options. Refuse options without an effect."""
    for field, names in WITHOUT_EFFECT.items():
        values = options.get(field)
        for name in names:
            if isinstance(values, dict) and name in values:
                raise ValueError(f"{name} has no effect on the scores of a model")
    return fill(given, options)


OVERRIDE_FIELDS = {"uniform": (), "shuffle": (), "position": ("column",), "cell": ("row", "column", "weight")}


def overrides_of(values):
    """Convert dictionaries to elman_override."""
    kind = library.complete("elman_override")
    values = list_of("overrides", values, "dictionaries with the fields of elman_override")
    filled = [fill(kind(), value) for value in values]
    for value in values:
        if "kind" not in value:
            raise ValueError(f"an override needs a kind: {', '.join(OVERRIDE_FIELDS)}")
        needed = OVERRIDE_FIELDS[value["kind"]]
        if set(value) != {"kind", *needed}:
            raise ValueError(f"an override of the kind {value['kind']!r} has "
                             f"{', '.join(needed) or 'no other field'}, not {value!r}")
    return (kind * len(filled))(*filled)


def as_many(what, values, text, texts):
    """Return a list with one value per text."""
    if isinstance(text, str):
        return [values]
    if values is None:
        return [None] * len(texts)
    values = list_of(what, values, "values, one for each text")
    if len(values) != len(texts):
        raise ValueError(f"there are not as many {what} as texts: {len(values)} and {len(texts)}")
    return values


def place(name, text, index):
    """Return the name of an argument that belongs to one text, or to one of a list."""
    return name if isinstance(text, str) else f"{name}[{index}]"
