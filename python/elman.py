"""Call the C library from Python: training, translation, and attention as NumPy arrays.

    import elman

    with elman.Pairs("data/toy.zh-en.tsv") as pairs, elman.Model.create(pairs) as model:
        model.train(pairs, epochs=100)
        translation = model.translate("我 爱 学习")
        print(translation.text, translation.attention)    # (T,S)
        model.save("toy.safetensors")

Options are the fields of the structs in include/elman/*.h, by name: `train` takes those of
elman_train_options, and so on. Values of enums are words such as "bpe". An option with a wrong value, or
without effect, raises ValueError; an unknown option raises TypeError. Other errors of the library raise
Error with its message. The memory of an object is freed at the end of `with`, in close(), or when
nothing refers to it any more. A model processes one call at a time: other threads wait.

Requires NumPy (Debian: python3-numpy) and libelman.so; docs/python.md describes how to build it."""

import contextlib
import ctypes
import dataclasses
import inspect
import json
import os
import signal
import threading
import types
import weakref

import numpy

import elman_header

library = elman_header.Library(elman_header.find_library(), elman_header.find_include())

SIDES = library.enum("elman_side")
NUMBER_TYPES = library.enum("elman_number_type")
STATUS = {value: name for name, value in library.enum("elman_status").items()}
FINDINGS = {value: name for name, value in library.enum("elman_finding").items()}
TRIALS = 5  # ELMAN_SEARCH_TRIALS
MOST_OPTIONS = library.header.sizes["ELMAN_MAX_OPTIONS"]
NAMES, JSON = library.enum("elman_naming")["field"], library.enum("elman_form")["json"]
BATCH = 32  # sentences translated together


class Error(Exception):
    """An error of the library. `status` is its code as a word, such as "bad_data"; `where` is a file, a
    file and a line, or empty."""

    def __init__(self, status, message, where=""):
        super().__init__(status, message, where)
        self.status, self.message, self.where = status, message, where

    def __str__(self):
        return f"{self.where}: {self.message}" if self.where else self.message


class TranslationError(Error):
    """Some texts of a list cannot be translated. `translations` contains the other translations, and None for
    each failed text; `errors` maps indices to Error. Status, message and `where` are those of the first."""

    def __init__(self, translations, errors):
        first = errors[min(errors)]
        super().__init__(first.status, first.message, first.where)
        self.args = translations, errors
        self.translations, self.errors = translations, errors


def _error(struct):
    return Error(STATUS[struct.code], struct.message.decode(errors="replace"), os.fsdecode(struct.where))


# ---- Python values to C ----


def _expect(name, value, kind, form):
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be {form}, not {value!r}")
    return value


def _expect_function(name, function):
    if function is not None and not callable(function):
        raise TypeError(f"{name} must be a function, not {function!r}")
    return function


def _without_nul(name, data):
    """Refuse NUL, which ends a text in C."""
    if b"\0" in data:
        raise ValueError(f"{name} contains a NUL: {data!r}")
    return data


def _path(name, value):
    return _without_nul(name, os.fsencode(_expect(name, value, (str, bytes, os.PathLike), "a path")))


def _paths(values):
    return _strings(_path("a file", value) for value in values)


def _text(name, value):
    """Encode as UTF-8, independently of the locale."""
    _expect(name, value, str, "a text (str)")
    try:
        return value.encode()
    except UnicodeEncodeError as error:
        raise Error("bad_data", f"{name} is not valid Unicode: U+{ord(value[error.start]):04X}, half of a "
                    f"surrogate pair, at character {error.start + 1}") from None


def _list(name, values, form):
    """Return a list. A str is refused, although it is a sequence of characters."""
    if isinstance(values, (str, bytes, dict)) or not hasattr(type(values), "__iter__"):
        raise TypeError(f"{name} must be a list of {form}, not {values!r}")
    return list(values)


def _texts(name, values):
    return _strings([_without_nul(f"{name}[{i}]", _text(f"{name}[{i}]", value))
                     for i, value in enumerate(_list(name, values, "texts"))])


def _strings(texts):
    texts = list(texts)
    return (ctypes.c_char_p * len(texts))(*texts)


def _hint(typed, answers):
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


def _word(name, value, words):
    """Return the value of an enum for its word."""
    if not isinstance(value, str) or value not in words:
        kind = ValueError if isinstance(value, str) else TypeError
        raise kind(f"{name} is one of {', '.join(words)}, not {value!r}"
                   f"{_hint(value, {word: word for word in words})}")
    return words[value]


def _words(struct, field):
    """Return the words of the values of an enum; None if the field is not an enum."""
    row, enum = library.rows_of[struct].get(field), library.enums_of[struct].get(field)
    if row is not None and row.value == library.enum("elman_value")["enum"]:
        return library.choices(row)
    return library.enum(enum) if enum is not None else None


def _number(name, value, kind):
    is_bool = isinstance(value, (bool, numpy.bool_))
    if kind is ctypes.c_bool:
        if not is_bool:
            raise TypeError(f"{name} is True or False, not {value!r}")
        return bool(value)
    if kind is ctypes.c_double:
        if is_bool or not hasattr(type(value), "__float__"):
            raise TypeError(f"{name} must be a number, not {value!r}")
        return float(value)
    if is_bool or not hasattr(type(value), "__index__"):  # NumPy integers have it, 2.5 does not
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    whole = value.__index__()
    if not 0 <= whole < 1 << 8 * ctypes.sizeof(kind):
        raise ValueError(f"{name} cannot be {value}")
    return whole


SCALARS = ctypes.c_char_p, ctypes.c_bool, ctypes.c_double, ctypes.c_size_t, ctypes.c_uint64


def _json(value):
    """Return a value as JSON, or as Python shows it."""
    if isinstance(value, numpy.generic):
        value = value.item()
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return repr(value)


def _set_row(options, row, value):
    """Set a field by its row in the table of the library."""
    error = library.complete("elman_error")()
    if library.elman_option_set(ctypes.byref(row), ctypes.byref(options), _json(value).encode(), JSON, NAMES,
                                ctypes.byref(error)):
        message = error.message.decode()
        if value is None or isinstance(value, bool):  # the message has null, true or false
            message = message.replace(f"not {_json(value)}", f"not {value!r}")
        raise ValueError(message)


def _unknown(struct, name):
    """Return the message about a name that is no option of the struct."""
    if not isinstance(name, str) or "\0" in name:
        return f"unknown option {name!r}"
    kinds = dict(library.complete(struct)._fields_)
    inner = [field for field, other in kinds.items() if name in dict(getattr(other, "_fields_", ()))]
    if inner:
        return f"unknown option '{name}'; it is a field of {inner[0]}"
    others = [field.encode() for field, kind in kinds.items()
              if field not in library.rows_of[struct] and not field.endswith("_count")
              and (kind in SCALARS or issubclass(kind, ctypes.Structure))]
    error, scopes = library.complete("elman_error")(), library.scopes(struct)
    library.elman_option_refuse(scopes, name.encode(), _strings([*others, None]), NAMES, ctypes.byref(error))
    return error.message.decode()


def _fill(options, values):
    """Set the fields that users may set: all except pointers to anything other than text."""
    struct, kinds = type(options).__name__, dict(options._fields_)
    if not isinstance(values, dict):
        raise TypeError(f"a dictionary with fields of {struct} is needed, not {values!r}")
    for name, value in values.items():
        row, kind = library.rows_of[struct].get(name), kinds.get(name)
        words = _words(struct, name) if kind is not None else None
        if row is not None:
            _set_row(options, row, value)
        elif words is not None:
            setattr(options, name, _word(name, value, words))
        elif kind is ctypes.c_char_p:
            setattr(options, name, None if value is None else _path(name, value))
        elif kind in SCALARS:
            setattr(options, name, _number(name, value, kind))
        elif kind is not None and issubclass(kind, ctypes.Structure):
            fill = _fill_search if kind is library.complete("elman_translate_options") else _fill
            setattr(options, name, fill(getattr(options, name), value))
        else:
            raise TypeError(_unknown(struct, name))
    return options


def _fill_search(options, values):
    """Fill elman_translate_options, and check the rules between the options."""
    _fill(options, values)
    if "beam" not in values:
        options.beam = max(options.beam, options.n_best)
    return _check(options, values)


def _check(options, values):
    """Check the rules between the options given as `values`, and return the options."""
    _check_rows(library.elman_options_check, library.scopes(type(options).__name__), options, values)
    return options


def _check_rows(check, scopes, options, values, *reason):
    """Let the library check the options given as `values`."""
    rows, error = library.rows_of[type(options).__name__], library.complete("elman_error")()
    given = (ctypes.c_bool * MOST_OPTIONS)()
    for name in values:
        if name in rows:
            given[rows[name].index] = True
    if check(scopes, ctypes.byref(options), given, *reason, NAMES, ctypes.byref(error)):
        raise ValueError(error.message.decode())


def _check_reference(options, values, references):
    """Refuse options that have no effect if every text has a reference, and a text that is split and has one."""
    if references and None not in references:
        scopes = sum(library.enum("elman_scope")[name] for name in ("search", "list", "sampling", "text"))
        _check_rows(library.elman_options_unused, scopes, options, values, b"all texts have references")
    if values.get("split_sentences") == "on" and any(each is not None for each in references):
        raise ValueError("a reference is the translation of one sentence, but split_sentences is on")


def _with_options(struct, **others):
    """Give a function the fields of a struct of options in its signature, with annotations and defaults. `others`
    are names of fields by struct."""
    annotations = {ctypes.c_char_p: str, ctypes.c_bool: bool, ctypes.c_double: float, ctypes.c_size_t: int,
                   ctypes.c_uint64: int, library.complete("elman_language"): str}

    def parameters(struct, names=None):
        defaults = _record(getattr(library, struct + "_default")())
        for name, kind in library.complete(struct)._fields_:
            annotation = str if _words(struct, name) is not None else annotations.get(kind)
            if annotation is not None and not name.endswith("_count") and (names is None or name in names):
                yield inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=getattr(defaults, name),
                                        annotation=annotation)

    def decorate(function):
        own = [each for each in inspect.signature(function).parameters.values() if each.kind is not each.VAR_KEYWORD]
        more = [each for other, names in others.items() for each in parameters(other, names)]
        function.__signature__ = inspect.Signature([*own, *parameters(struct), *more])
        return function
    return decorate


# Fields of elman_evaluate_options that have no effect on scores.
WITHOUT_EFFECT = {"translate": ("n_best", "without_scores", "split_sentences"), "metric": ("resamples", "seed")}


def _evaluate_options(given, options):
    """Fill elman_evaluate_options. Refuse options without an effect."""
    for field, names in WITHOUT_EFFECT.items():
        values = options.get(field)
        for name in names:
            if isinstance(values, dict) and name in values:
                raise ValueError(f"{name} has no effect on the scores of a model")
    return _fill(given, options)


OVERRIDE_FIELDS = {"uniform": (), "shuffle": (), "position": ("column",), "cell": ("row", "column", "weight")}


def _overrides(values):
    """Convert dictionaries to elman_override."""
    kind = library.complete("elman_override")
    values = _list("overrides", values, "dictionaries with the fields of elman_override")
    filled = [_fill(kind(), value) for value in values]
    for value in values:
        if "kind" not in value:
            raise ValueError(f"an override needs a kind: {', '.join(OVERRIDE_FIELDS)}")
        needed = OVERRIDE_FIELDS[value["kind"]]
        if set(value) != {"kind", *needed}:
            raise ValueError(f"an override of the kind {value['kind']!r} has "
                             f"{', '.join(needed) or 'no other field'}, not {value!r}")
    return (kind * len(filled))(*filled)


def _as_many(what, values, text, texts):
    """Return a list with one value per text."""
    if isinstance(text, str):
        return [values]
    if values is None:
        return [None] * len(texts)
    if isinstance(values, str):
        raise ValueError(f"there are not as many {what} as texts")
    values = _list(what, values, "one for each text")
    if len(values) != len(texts):
        raise ValueError(f"there are not as many {what} as texts")
    return values


def _place(name, text, index):
    """Return the name of an argument that belongs to one text, or to one of a list."""
    return name if isinstance(text, str) else f"{name}[{index}]"


# ---- C values to Python ----


def _value(value):
    if isinstance(value, bytes):
        return value.decode(errors="surrogateescape")  # the name of a file need not be text
    if isinstance(value, ctypes.Array):
        return tuple(value)
    if hasattr(type(value), "contents"):
        return _value(value.contents) if value else None
    if isinstance(value, library.complete("elman_error")):
        return _error(value)
    if isinstance(value, library.complete("elman_span")):
        return value.start, value.end
    if isinstance(value, library.complete("elman_language")):
        return value.code.decode()
    return _record(value) if isinstance(value, ctypes.Structure) else value


def _record(struct):
    """Return a copy of the fields."""
    name, values = type(struct).__name__, {}
    for field, _ in struct._fields_:
        if field.startswith("reserved"):
            continue
        value, words = getattr(struct, field), _words(name, field)
        if words is not None:
            value = next(word for word, number in words.items() if number == value)
        values[field] = _value(value)
    return types.SimpleNamespace(**values)


def _array(pointer, *shape):
    copy = numpy.empty(shape, numpy.float32)
    if copy.size > 0:
        copy[...] = numpy.ctypeslib.as_array(pointer, shape)
    return copy


@dataclasses.dataclass(eq=False)
class Translation:
    """A copy of elman_translation in include/elman/translate.h."""

    text: str
    source: str
    log_probability: float
    score: float
    source_tokens: list
    source_ids: list
    source_known: list
    source_spans: list  # (start, end) in bytes of `source`
    target_tokens: list
    target_ids: list
    target_spans: list  # (start, end) in bytes of `text`
    log_probabilities: numpy.ndarray  # (T)
    ended: bool
    forced: bool
    attention: numpy.ndarray  # (T,S): the average of the heads
    head_attention: numpy.ndarray  # (K,T,S)
    sentinel: numpy.ndarray  # (T); None without a sentinel
    segment_ends: list  # (G): end of each segment in source tokens; empty without segments
    segments: numpy.ndarray  # (T,G); None without segments
    source_self_attention: numpy.ndarray  # (heads,S,S); None without self_attention=True, or if
    target_self_attention: numpy.ndarray  # (heads,T,T); the model has none on this side
    sentences: list  # elman_translated_sentence of each sentence; spans are (start, end) in bytes
    warning: types.SimpleNamespace  # kind and message if it is probably wrong; otherwise None
    others: list  # the next-best translations of the text (n_best)


def _translation(it, model):
    S, T, K, G = it.source_count, it.target_count, it.heads, it.segment_count
    return Translation(
        text=it.text.decode(), source=it.source.decode(), log_probability=it.log_probability,
        score=it.score, source_tokens=[token.decode() for token in it.source_tokens[:S]],
        source_ids=it.source_ids[:S], source_known=it.source_known[:S],
        source_spans=list(zip(it.source_starts[:S], it.source_ends[:S])),
        target_tokens=[token.decode() for token in it.target_tokens[:T]],
        target_ids=it.target_ids[:T], target_spans=list(zip(it.target_starts[:T], it.target_ends[:T])),
        log_probabilities=numpy.array(it.log_probabilities[:T]), ended=it.ended, forced=it.forced,
        attention=_array(it.attention, T, S), head_attention=_array(it.head_attention, K, T, S),
        sentinel=_array(it.sentinel, T) if it.sentinel else None, segment_ends=it.segment_ends[:G],
        segments=_array(it.segments, T, G) if it.segments else None,
        source_self_attention=_self_attention(it.source_self_attention, it.source_self_heads, S),
        target_self_attention=_self_attention(it.target_self_attention, it.target_self_heads, T),
        sentences=[_record(each) for each in it.sentences[: it.sentence_count]], warning=_warning(it, model), others=[])


def _warning(translation, model):
    warning = _record(library.elman_translation_warning(model, ctypes.byref(translation)))
    return None if warning.kind == "none" else warning


def _self_attention(pointer, heads, tokens):
    return _array(pointer, heads, tokens, tokens) if heads > 0 else None


def _best(pointer, model):
    """Return the best translation of a text, with the others in `others`."""
    found = []
    while pointer:
        found.append(_translation(pointer.contents, model))
        pointer = pointer.contents.next
    found[0].others = found[1:]
    return found[0]


# ---- calls ----


def _call(function, *arguments):
    """Call a function whose last argument is an elman_error, and raise its Error."""
    error = library.complete("elman_error")()
    if function(*arguments, ctypes.byref(error)) != 0:
        raise _error(error)


class _Handler:
    """Replaces a signal handler while the library may call Python functions. An exception of the handler
    would be lost there, so it is stored and raised after the call."""

    def __init__(self, functions, original):
        self.functions = functions
        self.original = original.original if isinstance(original, _Handler) else original
        self.replaced = original

    def __call__(self, *arguments):
        try:
            self.original(*arguments)
        except BaseException as raised:
            if not self.functions.running:
                raise
            self.functions.keep(raised)


class _Functions:
    """Callbacks of a call of the library, and the signal handlers that run during it. The first exception
    of any of them ends the call and is raised after it. Use `with` around the call."""

    def __init__(self):
        self.raised, self.kept, self.handlers, self.running = None, [], {}, False

    def keep(self, raised):
        if self.raised is None:
            self.raised = raised

    def set(self, options, name, function):
        """Set a callback; None sets one that only lets signal handlers run."""
        _expect_function(name, function)

        def call(_, *arguments):
            try:
                if self.raised is None:
                    result = True if function is None else function(*map(_value, arguments))
                    if function is not None:
                        self.take_signals()  # the callback may have set a handler
                    return result is not False and self.raised is None
            except BaseException as raised:
                self.keep(raised)
            return False

        self.kept.append(dict(options._fields_)[name](call))
        setattr(options, name, self.kept[-1])

    def take_signals(self):
        if threading.current_thread() is not threading.main_thread():
            return  # handlers run in the main thread only
        for number in signal.valid_signals():
            handler = signal.getsignal(number)
            if callable(handler) and handler is not self.handlers.get(number):
                self.handlers[number] = _Handler(self, handler)
                signal.signal(number, self.handlers[number])

    def give_signals_back(self):
        """Restore the handlers. A handler may raise an exception at any point, so every step is repeatable."""
        while self.handlers:
            try:
                for number, handler in list(self.handlers.items()):
                    if signal.getsignal(number) is handler:
                        signal.signal(number, handler.replaced)
                    del self.handlers[number]
            except BaseException as raised:
                self.keep(raised)

    def __enter__(self):
        self.running = True
        try:
            self.take_signals()
        except BaseException:
            self.give_signals_back()
            self.running = False
            raise
        return self

    def __exit__(self, *_):
        self.give_signals_back()
        self.running = False
        if self.raised is not None:
            raise self.raised

    def call(self, function, *arguments):
        """Return False if a callback has stopped the call."""
        try:
            with self:
                _call(function, *arguments)
        except Error as error:
            if error is self.raised or error.status != "interrupted":
                raise
            return False
        return True


def _release(owned):
    while owned:
        free, pointer = owned.pop()
        free(pointer)


class _Handle:
    """An object of the library."""

    def __init__(self, free, make, *arguments):
        self._pointer, self._guard, self._users = ctypes.c_void_p(), threading.Lock(), 0
        _call(make, ctypes.byref(self._pointer), *arguments)
        self._owned = [(free, self._pointer)]  # freed from the last to the first
        self._free = weakref.finalize(self, _release, self._owned)

    def close(self):
        with self._guard:
            if self._users > 0:
                raise RuntimeError("what a call is using cannot be closed")
            self._free()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __reduce__(self):
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled; {self._INSTEAD}")

    @contextlib.contextmanager
    def _use(self):
        with self._guard:
            if not self._free.alive:
                raise ValueError(f"the {type(self).__name__} is closed")
            self._users += 1
        try:
            yield self._pointer
        finally:
            with self._guard:
                self._users -= 1


class Pairs(_Handle):
    """Sentence pairs from TSV files, or from `source_file` and `target_file`. `skipped` is called for each
    skipped line with file, line, kind ("not_utf8", ...) and problem."""

    _INSTEAD = "read the files again"

    def __init__(self, *files, skipped=None, **options):
        given = _fill(library.elman_pairs_options_default(), options)
        functions, given.files = _Functions(), _paths(files)
        given.file_count = len(files)
        if _expect_function("skipped", skipped) is not None:
            functions.set(given, "skipped", lambda file, line, fault, problem:
                          skipped(file, line, FINDINGS[fault], problem))
        with functions:
            super().__init__(library.elman_pairs_free, library.elman_pairs_read, ctypes.byref(given))

    def __len__(self):
        with self._use() as pairs:
            return library.elman_pairs_count(pairs)

    @property
    def skipped(self):
        with self._use() as pairs:
            return library.elman_pairs_skipped(pairs)

    def doubts(self, training=None):
        """Findings that ruin a model of these pairs, as a list of (kind, share of the pairs, place of the
        first). For dev pairs, `training` are the pairs to compare with."""
        found, function = [], library.elman_pairs_doubts
        note = function.argtypes[2](lambda _, finding, share, place: found.append(
            (FINDINGS[finding], share, _value(place))))
        with self._use() as pairs, (self if training is None else _pairs("training", training))._use() as typical:
            _call(function, pairs, typical, note, None)
        return found


def _pairs(name, value):
    return _expect(name, value, Pairs, "Pairs")


def _ids(name, values):
    return [_number("an id", each, ctypes.c_uint32) for each in _list(name, values, "ids")]


OF_CREATION = "seed", "max_length", "threads"  # options of training that affect a new model


class Model(_Handle):
    """A model, created by create, load or average."""

    _INSTEAD = "use save() and load()"

    def __init__(self, make, *arguments):
        self._lock, self._thread, self._translator = threading.Lock(), None, None
        super().__init__(library.elman_model_free, make, *arguments)

    @classmethod
    @_with_options("elman_model_options", elman_train_options=OF_CREATION)
    def create(cls, pairs, **options):
        """Return a model with initial parameters; options are those of elman_model_options, and the seed, max_length
        and threads of elman_train_options."""
        of_training = {name: options.pop(name) for name in OF_CREATION if name in options}
        given = _check(_fill(library.elman_model_options_default(), options), options)
        training = _fill(library.elman_train_options_default(), of_training)
        with _pairs("pairs", pairs)._use() as read:
            return cls(library.elman_model_create, read, ctypes.byref(given), ctypes.byref(training))

    @classmethod
    def load(cls, path):
        return cls(library.elman_model_load, _path("path", path))

    @classmethod
    def average(cls, *paths):
        """Return the mean of the parameters of several files."""
        return cls(library.elman_model_average, _paths(paths), len(paths))

    @contextlib.contextmanager
    def _use(self):
        if self._thread == threading.get_ident():
            raise RuntimeError("the model is in use by the call that calls this function")
        with self._lock, super()._use() as model:
            self._thread = threading.get_ident()
            try:
                yield model
            finally:
                self._thread = None

    def save(self, path, dtype="float32"):
        """Write the model; with dtype "bfloat16" or "float16" the file is half as large, with "int8" about a
        quarter."""
        number_type = _word("dtype", dtype, NUMBER_TYPES)
        with self._use() as model:
            _call(library.elman_model_save_as, model, _path("path", path), number_type)

    @property
    def info(self):
        """The fields of elman_model_info."""
        with self._use() as model:
            return _record(library.elman_model_get_info(model))

    def vocabulary(self, side):
        """Return the texts of the tokens of "source" or "target", by id."""
        with self._use() as model:
            info = library.elman_model_get_info(model)
            number = _word("side", side, SIDES)
            return [library.elman_model_get_token(model, number, i, None, None).decode()
                    for i in range(getattr(info, f"{side}_vocabulary"))]

    def encode(self, side, text):
        """Return the ids of the tokens of a text; 0 for tokens that "source" or "target" lacks."""
        data = _text("text", text)
        return self._coded(library.elman_encode, side, data, len(data)).ids

    def decode(self, side, ids):
        """Return the text of ids, without <s> and </s>."""
        ids = _ids("ids", ids)
        return self._coded(library.elman_decode, side, (ctypes.c_uint32 * len(ids))(*ids), len(ids)).text

    def _coded(self, function, side, *arguments):
        coded = ctypes.POINTER(library.complete("elman_encoding"))()
        with self._use() as model:
            _call(function, ctypes.byref(coded), model, _word("side", side, SIDES), *arguments)
        try:
            return types.SimpleNamespace(text=coded.contents.text.decode(),
                                         ids=coded.contents.ids[: coded.contents.count])
        finally:
            library.elman_encoding_free(coded)

    @_with_options("elman_train_options")
    def train(self, pairs, dev=None, report=None, validated=None, checkpoint_written=None,
              snapshot_written=None, **options):
        """Train the model; options are those of elman_train_options. After each update `report` gets an
        elman_train_report, after each validation `validated` an elman_validation, after each checkpoint
        `checkpoint_written` an Error or None, and after each snapshot `snapshot_written` an
        elman_snapshot. The first two stop training by returning False. Return whether training finished."""
        given, functions = _fill(library.elman_train_options_default(), options), _Functions()
        functions.set(given, "report", report)
        for name, function in (("validated", validated), ("checkpoint_written", checkpoint_written),
                               ("snapshot_written", snapshot_written)):
            if function is not None:
                functions.set(given, name, function)
        with contextlib.ExitStack() as uses:
            if dev is not None:
                given.dev = uses.enter_context(_pairs("dev", dev)._use())
            _check(given, options)
            read, model = uses.enter_context(_pairs("pairs", pairs)._use()), uses.enter_context(self._use())
            return functions.call(library.elman_train, model, read, ctypes.byref(given))

    @_with_options("elman_translate_options")
    def translate(self, text, reference=None, prefix=None, ensemble=(), overrides=(), **options):
        """Return the Translation of a text, or a list of them for a list of texts; options are those of
        elman_translate_options. With split_sentences "auto", each sentence of one text is translated by itself,
        but each text of a list is one sentence. `reference` (or a list) is decoded as given. `prefix` (or a list) fixes the
        beginning of the translation, as ids or as a text of whole words; the search adds at least one
        token. In ids, </s> ends the translation of each sentence but the last; a text belongs to the first one. `ensemble` contains other models, and `overrides` contains dictionaries with the fields of
        elman_override. If some texts of a list cannot be translated, raise TranslationError."""
        texts = [text] if isinstance(text, str) else _list("text", text, "texts, or one text (str)")
        for i, each in enumerate(texts):
            _expect(f"text[{i}]", each, str, "a str")
        references = _as_many("references", reference, text, texts)
        for i, each in enumerate(references):
            _expect(_place("reference", text, i), each, (str, type(None)), "a text (str)")
        prefixes = [None if each is None else self._prefix(_place("prefix", text, i), each)
                    for i, each in enumerate(_as_many("prefixes", prefix, text, texts))]
        ensemble = [_expect("each of the ensemble", model, Model, "a Model")
                    for model in _list("ensemble", ensemble, "models")]
        overridden = _overrides(overrides)
        given = self._search(options, references)
        given.overrides, given.override_count, given.ensemble_count = overridden, len(overridden), len(ensemble)
        _check_reference(_fill_search(given, options), options, references)
        with contextlib.ExitStack() as uses:
            # Lock in one order, so that two threads never wait for each other.
            for model in sorted({self, *ensemble}, key=id):
                uses.enter_context(model._use())
            given.ensemble = (ctypes.c_void_p * len(ensemble))(*(m._pointer.value for m in ensemble))
            found, errors = [None] * len(texts), {}
            order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
            for at in range(0, len(order), BATCH):
                batch = [(texts[i], references[i], prefixes[i], i) for i in order[at : at + BATCH]]
                for i, result in self._translate(batch, isinstance(text, str), given):
                    (errors if isinstance(result, Error) else found)[i] = result
        if errors:
            raise errors[0] if isinstance(text, str) else TranslationError(found, errors)
        return found[0] if isinstance(text, str) else found

    def _search(self, options, references=()):
        """Return the default options, with what the model states: precision, search and replacement of unknown words,
        unless something excludes them."""
        with self._use() as model:
            given = library.elman_model_translate_options(model)
        defaults = library.elman_translate_options_default()
        referred = any(each is not None for each in references)
        if options.get("sample") or referred:
            given.beam, given.length_penalty = defaults.beam, defaults.length_penalty
        if referred:
            given.replace_unknown = False
        if "length_norm" in options:
            given.length_penalty = defaults.length_penalty
        return given

    def tune_search(self, pairs, progress=None, **options):
        """Store the best search on the pairs in the model, by BLEU, or by chrF2 for short references; return the trials, with the fields
        of elman_search_trial. Options are those of `evaluate`. If `progress` returns False, return None."""
        given, functions = _evaluate_options(library.elman_evaluate_options_default(), options), _Functions()
        for name in "beam", "length_penalty":
            if name in options.get("translate", {}):
                raise ValueError(f"tune_search chooses {name}")
        trials = (library.complete("elman_search_trial") * TRIALS)()
        functions.set(given, "progress", progress)
        with self._use() as model, _pairs("pairs", pairs)._use() as read:
            ended = functions.call(library.elman_tune_search, trials, model, read, ctypes.byref(given))
        return [_record(trial) for trial in trials] if ended else None

    def _prefix(self, name, prefix):
        """Return the ids, or the Error if the text has none."""
        if not isinstance(prefix, str):
            return _ids(name, prefix)
        try:
            return self.encode("target", prefix)
        except Error as error:
            if error.status != "bad_data":
                raise
            return error

    def _translate(self, batch, is_text, options):
        """Translate a batch of (text, reference, prefix, place); return pairs (place, Translation or Error). `is_text`
        is true if a text may have several sentences, unless the options say so."""
        if self._translator is None:
            self._translator = ctypes.c_void_p()
            _call(library.elman_translator_create, ctypes.byref(self._translator), self._pointer)
            self._owned.append((library.elman_translator_free, self._translator))
        results, encoded = [], []
        for text, reference, prefix, place in batch:
            try:
                if isinstance(prefix, Error):
                    raise prefix
                forced = None if reference is None else _text("the reference", reference)
                encoded.append((_text("the text", text), forced, prefix or [], place))
            except Error as error:
                results.append((place, Error(error.status, error.message, f"sentence {place + 1}")))
        sentences = (library.complete("elman_sentence") * len(encoded))()
        for sentence, (data, forced, prefix, place) in zip(sentences, encoded):
            sentence.text, sentence.length, sentence.number = data, len(data), place + 1  # as the command does
            sentence.reference, sentence.reference_length = forced, len(forced or b"")
            sentence.is_text = is_text
            sentence.prefix, sentence.prefix_count = (ctypes.c_uint32 * len(prefix))(*prefix), len(prefix)
        translations = (ctypes.POINTER(library.complete("elman_translation")) * len(encoded))()
        errors = (library.complete("elman_error") * len(encoded))()
        try:
            _call(library.elman_translate_batch, translations, errors, self._translator, sentences,
                  len(encoded), ctypes.byref(options))
        except Error:
            if all(error.code == 0 for error in errors):
                raise
        try:
            for translation, error, (*_, place) in zip(translations, errors, encoded):
                if error.code != 0:  # report the caller's index, not that in the batch
                    error.where = f"sentence {place + 1}".encode()
                results.append((place, _error(error) if error.code != 0 else _best(translation, self._pointer)))
        finally:
            for each in translations:
                library.elman_translation_free(each)
        return results

    def evaluate(self, pairs, progress=None, **options):
        """Return the fields of elman_scores; options are those of elman_evaluate_options, in which
        `translate` and `metric` are dictionaries. `progress` gets the number of finished pairs and of all
        pairs. If it returns False, return None."""
        given, functions = library.elman_evaluate_options_default(), _Functions()
        given.translate.without_scores = True  # so that options of scores alone are refused
        if isinstance(options.get("translate", {}), dict):  # otherwise, _fill reports the type
            search = self._search(options.get("translate", {}))
            for field in "beam", "length_penalty", "precision", "replace_unknown":
                setattr(given.translate, field, getattr(search, field))
        _evaluate_options(given, options)
        scores = library.complete("elman_scores")()
        functions.set(given, "progress", progress)
        with self._use() as model, _pairs("pairs", pairs)._use() as read:
            ended = functions.call(library.elman_evaluate, ctypes.byref(scores), model, read, ctypes.byref(given))
        return _record(scores) if ended else None

    def check_gradients(self, sources, targets, alignments=None, progress=None, **options):
        """Return the fields of elman_gradient_report for pairs of texts; `tensors` is a dictionary by name.
        Options are those of elman_gradient_options. If `progress` returns False, return None."""
        given, functions = _fill(library.elman_gradient_options_default(), options), _Functions()
        functions.set(given, "progress", progress)
        sources, targets = _texts("sources", sources), _texts("targets", targets)
        links = sources if alignments is None else _texts("alignments", alignments)
        if not len(sources) == len(targets) == len(links):
            raise ValueError("there are not as many sources, targets and alignments")
        if alignments is not None:
            given.alignments = links
        report = ctypes.POINTER(library.complete("elman_gradient_report"))()
        with self._use() as model:
            if not functions.call(library.elman_gradient_check, ctypes.byref(report), model, sources, targets,
                                  len(sources), ctypes.byref(given)):
                return None
            try:
                result = _record(report.contents)
                tensors = map(_record, report.contents.tensors[: report.contents.tensor_count])
                result.tensors = {tensor.name: tensor for tensor in tensors}
            finally:
                library.elman_gradient_report_free(report)
        return result


def metrics(hypotheses, *references, **options):
    """Return BLEU and chrF (the fields of elman_metric_scores) of lines against one or more lists of
    references; options are those of elman_metric_options."""
    given = _fill(library.elman_metric_options_default(), options)
    hypotheses = _texts("hypotheses", hypotheses)
    sets = [_texts("references", each) for each in references]
    if any(len(each) != len(hypotheses) for each in sets):
        raise ValueError("there are not as many references as hypotheses")
    scores, pointer = library.complete("elman_metric_scores")(), ctypes.POINTER(ctypes.c_char_p)
    _call(library.elman_metrics, ctypes.byref(scores), hypotheses,
          (pointer * len(sets))(*(ctypes.cast(each, pointer) for each in sets)), len(sets),
          len(hypotheses), ctypes.byref(given))
    return _record(scores)


def version():
    return library.elman_version().decode()
