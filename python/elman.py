"""The C library in Python: training, translating, and attention as NumPy arrays.

    import elman

    with elman.Pairs("data/toy.zh-en.tsv") as pairs, elman.Model.create(pairs) as model:
        model.train(pairs, epochs=100)
        translation = model.translate("我 爱 学习")
        print(translation.text, translation.attention)    # (T,S)
        model.save("toy.safetensors")

Options are the fields of the structs in include/elman/*.h, by name: those of elman_train_options for
`train`, and so on. Values of enums are words, as in "bpe". What the library refuses is an Error with
its message. What holds memory of the library gives it back at the end of `with`, in close(), or when
nothing refers to it any more. A model serves one call at a time: other threads wait.

It needs NumPy (Debian: python3-numpy) and libelman.so; docs/python.md says where that comes from."""

import contextlib
import ctypes
import dataclasses
import os
import signal
import threading
import types
import weakref

import numpy

import elman_header

library = elman_header.Library(elman_header.find_library(), elman_header.find_include())

SIDES = library.enum("elman_side")
STATUS = {value: name for name, value in library.enum("elman_status").items()}
FINDINGS = {value: name for name, value in library.enum("elman_finding").items()}
BATCH = 32  # sentences that are translated at once


class Error(Exception):
    """What the library refuses or cannot do. `status` is its code as a word, such as "bad_data";
    `where` names a file, or a file and a line of it, or is empty."""

    def __init__(self, error):
        self.status = STATUS[error.code]
        self.message, self.where = error.message.decode(), error.where.decode()
        super().__init__(f"{self.where}: {self.message}" if self.where else self.message)


# ---- values of Python to those of C ----


def _bytes(text):
    """A path or a word. C would take it to end at a NUL."""
    data = os.fsencode(text)
    if b"\0" in data:
        raise ValueError(f"there is a NUL in {text!r}")
    return data


def _strings(texts):
    texts = [_bytes(text) for text in texts]
    return (ctypes.c_char_p * len(texts))(*texts)


def _words(struct, field):
    """The words for the values of an enum; None if the field is none."""
    row, enum = library.rows_of[struct].get(field), library.enums_of[struct].get(field)
    if row is not None and row.value == library.enum("elman_value")["enum"]:
        return library.choices(row)
    return library.enum(enum) if enum is not None else None


def _number(name, value, kind):
    if kind is ctypes.c_double:
        return float(value)
    if kind is ctypes.c_bool:
        if not isinstance(value, bool):
            raise TypeError(f"{name} is True or False, not {value!r}")
        return value
    whole = value.__index__()  # of NumPy's numbers, too, but not of 2.5
    if not 0 <= whole < 1 << 8 * ctypes.sizeof(kind):
        raise ValueError(f"{name} cannot be {value}")
    return whole


def _fill(options, values):
    """Sets what users may set: all but what points to something else than text."""
    struct, kinds = type(options).__name__, dict(options._fields_)
    for name, value in values.items():
        kind = kinds.get(name)
        words = _words(struct, name) if kind is not None else None
        if words is not None:
            if value not in words:
                raise ValueError(f"{name} is one of {', '.join(words)}, not {value!r}")
            setattr(options, name, words[value])
        elif kind is ctypes.c_char_p:
            setattr(options, name, None if value is None else _bytes(value))
        elif kind in (ctypes.c_bool, ctypes.c_double, ctypes.c_size_t, ctypes.c_uint64):
            setattr(options, name, _number(name, value, kind))
        elif kind is not None and issubclass(kind, ctypes.Structure):
            setattr(options, name, _fill(getattr(options, name), value))
        else:
            raise TypeError(f"there is no option {name}")
    return options


def _as_many(what, values, text, texts):
    """A value for each text: that of the one text, or those of a list of texts."""
    if isinstance(text, str):
        return [values]
    if isinstance(values, str) or (values is not None and len(values) != len(texts)):
        raise ValueError(f"there are not as many {what} as texts")
    return values or [None] * len(texts)


# ---- and back ----


def _value(value):
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, ctypes.Array):
        return tuple(value)
    if hasattr(type(value), "contents"):
        return _value(value.contents) if value else None
    if isinstance(value, library.complete("elman_error")):
        return Error(value)
    return _record(value) if isinstance(value, ctypes.Structure) else value


def _record(struct):
    """A copy of the fields."""
    name, values = type(struct).__name__, {}
    for field, _ in struct._fields_:
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
    """What elman_translation in include/elman/translate.h is, copied."""

    text: str
    source: str
    log_probability: float
    score: float
    source_tokens: list
    source_ids: list
    source_known: list
    source_spans: list  # (start, end) in the bytes of `source`
    target_tokens: list
    target_ids: list
    target_spans: list  # in the bytes of `text`
    log_probabilities: numpy.ndarray  # (T): of each target token
    ended: bool
    forced: bool
    attention: numpy.ndarray  # (T,S): the average of the heads
    head_attention: numpy.ndarray  # (N,T,S)
    sentinel: numpy.ndarray  # (T); None without a sentinel
    segment_ends: list  # (G): source tokens up to the end of each segment; none without segments
    segments: numpy.ndarray  # (T,G); None without segments
    others: list  # the next best translations of the sentence


def _translation(it):
    S, T, N, G = it.source_count, it.target_count, it.heads, it.segment_count
    return Translation(
        text=it.text.decode(), source=it.source.decode(), log_probability=it.log_probability,
        score=it.score, source_tokens=[token.decode() for token in it.source_tokens[:S]],
        source_ids=it.source_ids[:S], source_known=it.source_known[:S],
        source_spans=list(zip(it.source_starts[:S], it.source_ends[:S])),
        target_tokens=[token.decode() for token in it.target_tokens[:T]],
        target_ids=it.target_ids[:T], target_spans=list(zip(it.target_starts[:T], it.target_ends[:T])),
        log_probabilities=numpy.array(it.log_probabilities[:T]), ended=it.ended, forced=it.forced,
        attention=_array(it.attention, T, S), head_attention=_array(it.head_attention, N, T, S),
        sentinel=_array(it.sentinel, T) if it.sentinel else None, segment_ends=it.segment_ends[:G],
        segments=_array(it.segments, T, G) if it.segments else None, others=[])


def _best(pointer):
    """The translation of a sentence, with those that come after it."""
    found = []
    while pointer:
        found.append(_translation(pointer.contents))
        pointer = pointer.contents.next
    found[0].others = found[1:]
    return found[0]


# ---- calls ----


def _call(function, *arguments):
    """Calls what can fail; the error comes last."""
    error = library.complete("elman_error")()
    if function(*arguments, ctypes.byref(error)) != 0:
        raise Error(error)


class _Functions:
    """Functions that the library calls. The first exception ends the call and goes on behind it, and
    so does Ctrl-C, which Python would raise where C cannot pass it on."""

    def __init__(self):
        self.raised, self.kept = None, []

    def set(self, options, name, function):
        """None only listens for Ctrl-C."""
        def call(_, *arguments):
            try:
                if self.raised is None:
                    return function is None or function(*map(_value, arguments)) is not False
            except BaseException as raised:
                self.raised = raised
            return False

        self.kept.append(dict(options._fields_)[name](call))
        setattr(options, name, self.kept[-1])

    def interrupt(self, *_):
        self.raised = KeyboardInterrupt()

    def call(self, function, *arguments):
        """False if a function has stopped it."""
        takes_signals = (threading.current_thread() is threading.main_thread()
                         and signal.getsignal(signal.SIGINT) is signal.default_int_handler)
        if takes_signals:
            signal.signal(signal.SIGINT, self.interrupt)
        try:
            _call(function, *arguments)
        except Error as error:
            if error.status != "interrupted":
                raise
            return False
        finally:
            if takes_signals:
                signal.signal(signal.SIGINT, signal.default_int_handler)
            if self.raised is not None:
                raise self.raised
        return True


def _release(owned):
    while owned:
        free, pointer = owned.pop()
        free(pointer)


class _Handle:
    """Something that the library made."""

    def __init__(self, free, make, *arguments):
        self._pointer, self._guard, self._users = ctypes.c_void_p(), threading.Lock(), 0
        _call(make, ctypes.byref(self._pointer), *arguments)
        self._owned = [(free, self._pointer)]  # the last is freed first
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

    @contextlib.contextmanager
    def _use(self):
        with self._guard:
            if not self._free.alive:
                raise ValueError("it is closed")
            self._users += 1
        try:
            yield self._pointer
        finally:
            with self._guard:
                self._users -= 1


class Pairs(_Handle):
    """Sentence pairs from files: TSV files, or `source_file` and `target_file`. `skipped` is called
    with file, line, kind ("not_utf8", ...) and problem of each line that is left out."""

    def __init__(self, *files, skipped=None, **options):
        given = _fill(library.elman_pairs_options_default(), options)
        functions, given.files = _Functions(), _strings(files)
        given.file_count = len(files)
        if skipped is not None:
            functions.set(given, "skipped", lambda file, line, fault, problem:
                          skipped(file, line, FINDINGS[fault], problem))
        super().__init__(library.elman_pairs_free, library.elman_pairs_read, ctypes.byref(given))
        if functions.raised is not None:
            self.close()
            raise functions.raised

    def __len__(self):
        with self._use() as pairs:
            return library.elman_pairs_count(pairs)

    @property
    def skipped(self):
        with self._use() as pairs:
            return library.elman_pairs_skipped(pairs)


class Model(_Handle):
    """A translator, made by create, load or average."""

    def __init__(self, make, *arguments):
        self._lock, self._thread, self._translator = threading.Lock(), None, None
        super().__init__(library.elman_model_free, make, *arguments)

    @classmethod
    def create(cls, pairs, **options):
        """With initial weights; options are those of elman_model_options."""
        given = _fill(library.elman_model_options_default(), options)
        with pairs._use() as read:
            return cls(library.elman_model_create, read, ctypes.byref(given))

    @classmethod
    def load(cls, path):
        return cls(library.elman_model_load, _bytes(path))

    @classmethod
    def average(cls, *paths):
        """The mean of the weights in several files."""
        return cls(library.elman_model_average, _strings(paths), len(paths))

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

    def save(self, path):
        with self._use() as model:
            _call(library.elman_model_save, model, _bytes(path))

    @property
    def info(self):
        """The fields of elman_model_info."""
        with self._use() as model:
            return _record(library.elman_model_get_info(model))

    def vocabulary(self, side):
        """The texts of the tokens of "source" or "target", by id."""
        with self._use() as model:
            info = library.elman_model_get_info(model)
            return [library.elman_model_get_token(model, SIDES[side], i, None, None).decode()
                    for i in range(getattr(info, f"{side}_vocabulary"))]

    def encode(self, side, text):
        """The ids of the tokens of a text, 0 for those that "source" or "target" lacks."""
        data = text.encode()
        return self._coded(library.elman_encode, side, data, len(data)).ids

    def decode(self, side, ids):
        """The text of ids, without <s> and </s>."""
        ids = [_number("an id", each, ctypes.c_uint32) for each in ids]
        return self._coded(library.elman_decode, side, (ctypes.c_uint32 * len(ids))(*ids), len(ids)).text

    def _coded(self, function, side, *arguments):
        coded = ctypes.POINTER(library.complete("elman_coded"))()
        with self._use() as model:
            _call(function, ctypes.byref(coded), model, SIDES[side], *arguments)
        try:
            return types.SimpleNamespace(text=coded.contents.text.decode(),
                                         ids=coded.contents.ids[: coded.contents.count])
        finally:
            library.elman_coded_free(coded)

    def train(self, pairs, dev=None, report=None, validated=None, saved=None, kept=None, **options):
        """Trains; options are those of elman_train_options. `report` gets an elman_train_report after
        each update, `validated` an elman_validation, `saved` an Error or None after each checkpoint,
        `kept` an elman_kept; the first two stop the training when they return False. Returns whether
        it came to its end."""
        given, functions = _fill(library.elman_train_options_default(), options), _Functions()
        functions.set(given, "report", report)
        for name, function in ("validated", validated), ("saved", saved), ("kept", kept):
            if function is not None:
                functions.set(given, name, function)
        with contextlib.ExitStack() as uses:
            if dev is not None:
                given.dev = uses.enter_context(dev._use())
            read, model = uses.enter_context(pairs._use()), uses.enter_context(self._use())
            return functions.call(library.elman_train, model, read, ctypes.byref(given))

    def translate(self, text, reference=None, prefix=None, ensemble=(), overrides=(), **options):
        """The Translation of a text, or a list of them for a list; options are those of
        elman_translate_options. A `reference`, or a list of them, is forced. A `prefix`, or a list of
        them, begins the translation, and the search goes on from there by at least one token: ids, such
        as the first of another's target_ids, or a text of whole words. `ensemble` has other models, and
        `overrides` dictionaries with the fields of elman_override."""
        texts = [text] if isinstance(text, str) else list(text)
        references = _as_many("references", reference, text, texts)
        prefixes = [None if each is None else self._prefix(each)
                    for each in _as_many("prefixes", prefix, text, texts)]
        given = _fill(library.elman_translate_options_default(), options)
        kind = library.complete("elman_override")
        given.overrides = (kind * len(overrides))(*(_fill(kind(), each) for each in overrides))
        given.override_count = len(overrides)
        with contextlib.ExitStack() as uses:
            # In one order, so that two threads never wait for each other.
            for model in sorted({self, *ensemble}, key=id):
                uses.enter_context(model._use())
            given.ensemble = (ctypes.c_void_p * len(ensemble))(*(m._pointer.value for m in ensemble))
            given.ensemble_count = len(ensemble)
            found = [None] * len(texts)
            order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
            for at in range(0, len(order), BATCH):
                numbers = order[at : at + BATCH]
                batch = [(texts[i], references[i], prefixes[i], i) for i in numbers]
                for i, translation in zip(numbers, self._translate(batch, given)):
                    found[i] = translation
        return found[0] if isinstance(text, str) else found

    def _prefix(self, prefix):
        ids = self.encode("target", prefix) if isinstance(prefix, str) else prefix
        return [_number("an id", each, ctypes.c_uint32) for each in ids]

    def _translate(self, batch, options):
        """Of a few (text, reference, prefix, number)."""
        if self._translator is None:
            self._translator = ctypes.c_void_p()
            _call(library.elman_translator_create, ctypes.byref(self._translator), self._pointer)
            self._owned.append((library.elman_translator_free, self._translator))
        sentences = (library.complete("elman_sentence") * len(batch))()
        for sentence, (text, reference, prefix, number) in zip(sentences, batch):
            data, forced = text.encode(), None if reference is None else reference.encode()
            sentence.text, sentence.length, sentence.number = data, len(data), number
            sentence.reference, sentence.reference_length = forced, len(forced or b"")
            if prefix:
                sentence.prefix, sentence.prefix_count = (ctypes.c_uint32 * len(prefix))(*prefix), len(prefix)
        translations = (ctypes.POINTER(library.complete("elman_translation")) * len(batch))()
        errors = (library.complete("elman_error") * len(batch))()
        try:
            _call(library.elman_translate_batch, translations, errors, self._translator, sentences,
                  len(batch), ctypes.byref(options))
            return [_best(each) for each in translations]
        except Error:
            for error, (*_, number) in zip(errors, batch):
                if error.code != 0:  # its place in the batch says nothing to the caller
                    error.where = f"sentence {number + 1}".encode()
                    raise Error(error) from None
            raise
        finally:
            for each in translations:
                library.elman_translation_free(each)

    def evaluate(self, pairs, progress=None, **options):
        """The fields of elman_scores; options are those of elman_evaluate_options, in which `translate`
        and `metric` are dictionaries. `progress` gets how much is done, and of how much."""
        given, functions = _fill(library.elman_evaluate_options_default(), options), _Functions()
        scores = library.complete("elman_scores")()
        functions.set(given, "progress", progress)
        with self._use() as model, pairs._use() as read:
            functions.call(library.elman_evaluate, ctypes.byref(scores), model, read, ctypes.byref(given))
        return _record(scores)

    def check_gradients(self, sources, targets, alignments=None, progress=None, **options):
        """The fields of elman_gradient_report for pairs of texts, in which `tensors` is a dictionary by
        name; options are those of elman_gradient_options."""
        given, functions = _fill(library.elman_gradient_options_default(), options), _Functions()
        functions.set(given, "progress", progress)
        if not len(sources) == len(targets) == len(alignments or sources):
            raise ValueError("there are not as many sources, targets and alignments")
        if alignments is not None:
            given.alignments = _strings(alignments)
        report = ctypes.POINTER(library.complete("elman_gradient_report"))()
        with self._use() as model:
            functions.call(library.elman_gradient_check, ctypes.byref(report), model, _strings(sources),
                           _strings(targets), len(sources), ctypes.byref(given))
            try:
                result = _record(report.contents)
                tensors = map(_record, report.contents.tensors[: report.contents.tensor_count])
                result.tensors = {tensor.name: tensor for tensor in tensors}
            finally:
                library.elman_gradient_report_free(report)
        return result


def metrics(hypotheses, *references, **options):
    """BLEU and chrF, the fields of elman_metric_scores, of lines against one or more lists of
    references; options are those of elman_metric_options."""
    given = _fill(library.elman_metric_options_default(), options)
    sets = [_strings(each) for each in references]
    if any(len(each) != len(hypotheses) for each in sets):
        raise ValueError("there are not as many references as hypotheses")
    scores, pointer = library.complete("elman_metric_scores")(), ctypes.POINTER(ctypes.c_char_p)
    _call(library.elman_metrics, ctypes.byref(scores), _strings(hypotheses),
          (pointer * len(sets))(*(ctypes.cast(each, pointer) for each in sets)), len(sets),
          len(hypotheses), ctypes.byref(given))
    return _record(scores)


def version():
    return library.elman_version().decode()
