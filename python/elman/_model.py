"""Models."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import json
import os
import threading
import types
import typing

import numpy

from elman._library import Error, Functions, Handle, Memory, TranslationError, call, error_of, library, written
from elman._options import (as_many, check, check_reference, evaluate_options, expect, fill, fill_search, list_of,
                            number_of, options_of, overrides_of, path_of, paths_of, place, preset_of, text_of, texts_of,
                            unknown_option, with_options, word_of)
from elman._pairs import Pair, Pairs, pairs_of
from elman._training import ALL, CALLBACKS, OWN, Epoch, Training
from elman._translation import Floats, Translation, translations_of
from elman.records import record_of, value_of

if typing.TYPE_CHECKING:
    from elman.records import (GradientReport, ModelInfo, Scores, SearchTrial, Snapshot, TrainReport, Validation)

SIDES = library.enum("elman_side")
NUMBER_TYPES = library.enum("elman_number_type")
TRIALS = 5  # ELMAN_SEARCH_TRIALS
BATCH = 32  # sentences translated together
OF_CREATION = "seed", "max_length", "threads"  # options of training that affect a new model
OF_TRAIN = "dev", "preset", "hours", "tune_search", "epoch_ended"  # parameters of train
OF_TRANSLATION = "reference", "prefix", "ensemble", "overrides"

Path = typing.Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Side = typing.Literal["source", "target"]
NumberType = typing.Literal["float32", "bfloat16", "float16", "int8"]
Preset = typing.Literal["plain", "quick", "small", "base", "strong"]
Prefix = typing.Union[str, typing.Sequence[int], None]
Reported = typing.Optional[typing.Callable[["TrainReport"], object]]
Validated = typing.Optional[typing.Callable[["Validation"], object]]
CheckpointWritten = typing.Optional[typing.Callable[[typing.Optional[Error]], object]]
SnapshotWritten = typing.Optional[typing.Callable[["Snapshot"], object]]
EpochEnded = typing.Optional[typing.Callable[[Epoch], object]]
Progress = typing.Optional[typing.Callable[[int, int], object]]
Options = typing.Mapping[str, typing.Any]


def _ids(name, values):
    return [number_of("an id", each, ctypes.c_uint32) for each in list_of(name, values, "ids")]


class Model(Handle):
    """A model, created by create, load, from_bytes or average. Models can be copied and pickled. A model processes one
    call at a time: other threads wait."""

    def __init__(self, make: typing.Any = None, *arguments: typing.Any) -> None:
        if not callable(make):
            raise TypeError("use Model.create(pairs), Model.load(path) or Model.from_bytes(data)")
        self._lock, self._thread, self._translator = threading.Lock(), None, None
        super().__init__(library.elman_model_free, make, *arguments)

    @classmethod
    @with_options("elman_model_options", elman_train_options=OF_CREATION)
    def create(cls, pairs: Pairs, preset: Preset = "plain", **options: typing.Any) -> Model:
        """Return a model with the vocabularies of the pairs and initial parameters. Options are those of
        elman_model_options, and the seed, max_length and threads of elman_train_options. A preset sets the options that
        are not given."""
        of_training = {name: options.pop(name) for name in OF_CREATION if name in options}
        given = fill(library.elman_model_options_default(), options, (*OF_CREATION, "preset"))
        used = preset_of(preset, given, options)
        call(library.elman_preset_apply, ctypes.byref(given), None, ctypes.byref(used))
        check(given, options)
        training = fill(library.elman_train_options_default(), of_training)
        with pairs_of("pairs", pairs)._use() as read:
            return cls(library.elman_model_create, read, ctypes.byref(given), ctypes.byref(training))

    @classmethod
    def load(cls, path: Path) -> Model:
        """Read a model file."""
        return cls(library.elman_model_load, path_of("path", path))

    @classmethod
    def from_bytes(cls, data: bytes | bytearray | memoryview) -> Model:
        """Read a model from the bytes of its file."""
        data = bytes(expect("data", data, (bytes, bytearray, memoryview), "bytes"))
        return cls(library.elman_model_read, data, len(data))

    @classmethod
    def average(cls, *paths: Path) -> Model:
        """Return the mean of the parameters of several files."""
        return cls(library.elman_model_average, paths_of(paths), len(paths))

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

    def _hold(self):
        """Refuse to close the model until the end of `with`, while other calls may use it."""
        return super()._use()

    # ---- contents ----

    def save(self, path: Path, dtype: NumberType = "float32") -> None:
        """Write the model; with dtype "bfloat16" or "float16" the file is about half as large, with "int8" a
        quarter."""
        number_type = word_of("dtype", dtype, NUMBER_TYPES)
        with self._use() as model:
            call(library.elman_model_save_as, model, path_of("path", path), number_type)

    def to_bytes(self, dtype: NumberType = "float32") -> bytes:
        """Return the bytes of the file that `save` writes."""
        number_type = word_of("dtype", dtype, NUMBER_TYPES)
        with self._use() as model:
            return written(library.elman_model_write, model, number_type)

    def __reduce__(self):
        # The eight bits of a model from such a file are exact, and select the precision of its translations.
        return type(self).from_bytes, (self.to_bytes("int8" if self.info.translate_precision == "int8" else "float32"),)

    def tensors(self) -> dict[str, Floats]:
        """Return a copy of the parameters by name, as float32. Tied matrices are the same array."""
        data = self.to_bytes()
        size = int.from_bytes(data[:8], "little")
        header = json.loads(data[8 : 8 + size])
        header.pop("__metadata__", None)
        found = {}
        for name, each in header.items():
            start, end = each["data_offsets"]
            values = numpy.frombuffer(data, numpy.float32, (end - start) // 4, 8 + size + start)
            found[name] = values.reshape(each["shape"])
        return found

    @property
    def info(self) -> ModelInfo:
        """The fields of elman_model_info."""
        with self._use() as model:
            return record_of(library.elman_model_get_info(model))

    def __repr__(self) -> str:
        if not self._free.alive:
            return "<Model: closed>"
        if self._lock.locked():
            return "<Model: in use>"
        info = self.info
        languages = f"{info.source_language or '?'} → {info.target_language or '?'}, " \
            if info.source_language or info.target_language else ""
        layers = f"{info.layers} layers of {info.cell}" if info.layers > 1 else f"{info.cell} cell"
        return (f"<Model: {languages}{layers}, hidden size {info.hidden_size}, {info.attention} attention, "
                f"{info.parameters:,} parameters, {info.history.updates:,} update{'' if info.history.updates == 1 else 's'}>")

    def vocabulary(self, side: Side) -> list[str]:
        """Return the texts of the tokens of "source" or "target", by id."""
        with self._use() as model:
            info = library.elman_model_get_info(model)
            number = word_of("side", side, SIDES)
            return [library.elman_model_get_token(model, number, i, None, None).decode()
                    for i in range(getattr(info, f"{side}_vocabulary"))]

    def encode(self, side: Side, text: str) -> list[int]:
        """Return the ids of the tokens of a text; 0 for tokens that "source" or "target" lacks."""
        data = text_of("text", text)
        return self._coded(library.elman_encode, side, data, len(data)).ids

    def decode(self, side: Side, ids: typing.Iterable[int]) -> str:
        """Return the text of ids, without <s> and </s>."""
        ids = _ids("ids", ids)
        return self._coded(library.elman_decode, side, (ctypes.c_uint32 * len(ids))(*ids), len(ids)).text

    def _coded(self, function, side, *arguments):
        coded = ctypes.POINTER(library.complete("elman_encoding"))()
        with self._use() as model:
            call(function, ctypes.byref(coded), model, word_of("side", side, SIDES), *arguments)
        try:
            return types.SimpleNamespace(text=coded.contents.text.decode(),
                                         ids=coded.contents.ids[: coded.contents.count])
        finally:
            library.elman_encoding_free(coded)

    # ---- training ----

    @with_options("elman_train_options")
    def train(self, pairs: Pairs, dev: Pairs | None = None, epoch_ended: EpochEnded = None, report: Reported = None,
              validated: Validated = None, checkpoint_written: CheckpointWritten = None,
              snapshot_written: SnapshotWritten = None, preset: Preset = "plain", hours: float = 0,
              tune_search: bool | None = None, **options: typing.Any) -> bool:
        """Train the model. Return whether training finished. `epoch_ended` gets an Epoch after each epoch, and may use
        the model: `epoch_ended=print` shows the progress. After each update `report` gets an elman_train_report, after
        each validation `validated` an elman_validation, after each checkpoint `checkpoint_written` an Error or None,
        and after each snapshot `snapshot_written` an elman_snapshot. The first three stop training by returning
        False. A preset sets the options that are not given, fits them to the length of the run, and logs what it changes
        (logging.getLogger("elman"), level INFO). `hours` limits the time; 0 is no limit. With `tune_search`, the beam size
        and length penalty that translate the dev pairs best are stored in the model; None means: if the preset
        tunes it and dev pairs are given."""
        if epoch_ended is not None and not callable(epoch_ended):
            raise TypeError(f"epoch_ended must be a function, not {epoch_ended!r}")
        functions = dict(zip(CALLBACKS, (report, validated, checkpoint_written, snapshot_written)))
        with Training(self, pairs, dev, functions, options, preset, hours, tune_search, (*OWN, "epoch_ended")) as run:
            if epoch_ended is None:
                run.advance(ALL)
            else:
                for epoch in run:
                    if epoch_ended(epoch) is False:
                        break
        return run.finished

    @with_options("elman_train_options")
    def training(self, pairs: Pairs, dev: Pairs | None = None, report: Reported = None, validated: Validated = None,
                 checkpoint_written: CheckpointWritten = None, snapshot_written: SnapshotWritten = None,
                 preset: Preset = "plain", hours: float = 0, tune_search: bool | None = None,
                 **options: typing.Any) -> Training:
        """Begin to train the model in steps. The arguments are those of `train` except `epoch_ended`: iterate instead."""
        if "epoch_ended" in options:
            raise TypeError("training has no callback epoch_ended; iterate over the epochs instead")
        functions = dict(zip(CALLBACKS, (report, validated, checkpoint_written, snapshot_written)))
        return Training(self, pairs, dev, functions, options, preset, hours, tune_search)

    # ---- translation ----

    @typing.overload
    def translate(self, text: str, reference: str | None = None, prefix: Prefix = None,
                  ensemble: typing.Iterable[Model] = (), overrides: typing.Iterable[Options] = (),
                  **options: typing.Any) -> Translation: ...
    @typing.overload
    def translate(self, text: typing.Iterable[str], reference: typing.Iterable[str | None] | None = None,
                  prefix: typing.Iterable[Prefix] | None = None, ensemble: typing.Iterable[Model] = (),
                  overrides: typing.Iterable[Options] = (), **options: typing.Any) -> list[Translation]: ...

    @with_options("elman_translate_options")
    def translate(self, text, reference=None, prefix=None, ensemble=(), overrides=(), **options):
        """Return the Translation of a text, or a list of them for a list of texts. With split_sentences "auto", each
        sentence of one text is translated by itself, but each text of a list is one sentence. `reference` (or a list)
        is decoded as given. `prefix` (or a list) fixes the beginning of the translation, as ids or as a text of whole
        words; the search adds at least one token. In ids, </s> ends the translation of each sentence but the last; a
        text belongs to the first one. `ensemble` contains other models, and `overrides` contains dictionaries with the
        fields of elman_override. If some texts of a list cannot be translated, raise TranslationError. Beam size,
        length penalty, precision and replacement of unknown words that the model states replace the defaults below."""
        if isinstance(text, Pair):
            raise TypeError(f"text must be a list of texts, or one text (str), not {text!r}; use its source")
        texts = [text] if isinstance(text, str) else list_of("text", text, "texts, or one text (str)")
        for i, each in enumerate(texts):
            expect(f"text[{i}]", each, str, "a str")
        references = as_many("references", reference, text, texts)
        for i, each in enumerate(references):
            expect(place("reference", text, i), each, (str, type(None)), "a text (str)")
        prefixes = [None if each is None else self._prefix(place("prefix", text, i), each)
                    for i, each in enumerate(as_many("prefixes", prefix, text, texts))]
        ensemble = [expect("each of the ensemble", model, Model, "a Model")
                    for model in list_of("ensemble", ensemble, "models")]
        overridden = overrides_of(overrides)
        given = self._search(options, references)
        given.overrides, given.override_count, given.ensemble_count = overridden, len(overridden), len(ensemble)
        check_reference(fill_search(given, options, OF_TRANSLATION), options, references)
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
            call(library.elman_translator_create, ctypes.byref(self._translator), self._pointer)
            self._owned.append((library.elman_translator_free, self._translator))
        results, encoded = [], []
        for text, reference, prefix, where in batch:
            try:
                if isinstance(prefix, Error):
                    raise prefix
                forced = None if reference is None else text_of("the reference", reference)
                encoded.append((text_of("the text", text), forced, prefix or [], where))
            except Error as error:
                results.append((where, Error(error.status, error.message, f"sentence {where + 1}")))
        sentences = (library.complete("elman_sentence") * len(encoded))()
        for sentence, (data, forced, prefix, where) in zip(sentences, encoded):
            sentence.text, sentence.length, sentence.number = data, len(data), where + 1  # as the command does
            sentence.reference, sentence.reference_length = forced, len(forced or b"")
            sentence.is_text = is_text
            sentence.prefix, sentence.prefix_count = (ctypes.c_uint32 * len(prefix))(*prefix), len(prefix)
        translations = (ctypes.POINTER(library.complete("elman_translation")) * len(encoded))()
        errors = (library.complete("elman_error") * len(encoded))()
        try:
            call(library.elman_translate_batch, translations, errors, self._translator, sentences,
                 len(encoded), ctypes.byref(options))
        except Error:
            if all(error.code == 0 for error in errors):
                raise
        owners = [Memory(library.elman_translation_free, each) for each in translations]
        for owner, error, (*_, where) in zip(owners, errors, encoded):
            if error.code != 0:  # report the caller's index, not that in the batch
                error.where = f"sentence {where + 1}".encode()
            results.append((where, error_of(error) if error.code != 0 else translations_of(owner, self._pointer)))
        return results

    # ---- scores ----

    @with_options("elman_evaluate_options")
    def tune_search(self, pairs: Pairs, progress: Progress = None, **options: typing.Any) -> list[SearchTrial] | None:
        """Store the best search on the pairs in the model, by BLEU, or by chrF2 for short references; return the trials,
        with the fields of elman_search_trial. If `progress` returns False, return
        None."""
        given, functions = evaluate_options(library.elman_evaluate_options_default(), options), Functions()
        for name in "beam", "length_penalty":
            if name in options.get("translate", {}):
                raise ValueError(f"tune_search chooses {name}")
        trials = (library.complete("elman_search_trial") * TRIALS)()
        _set_progress(functions, given, progress)
        with self._use() as model, pairs_of("pairs", pairs)._use() as read:
            ended = functions.call(library.elman_tune_search, trials, model, read, ctypes.byref(given))
        return [record_of(trial) for trial in trials] if ended else None

    @with_options("elman_evaluate_options")
    def evaluate(self, pairs: Pairs, progress: Progress = None, **options: typing.Any) -> Scores | None:
        """Return the fields of elman_scores. `translate` and `metric` are dictionaries of options, such as
        translate={"beam": 5}. `progress` gets the number of finished pairs and of all
        pairs. If it returns False, return None."""
        given, functions = library.elman_evaluate_options_default(), Functions()
        given.translate.without_scores = True  # so that options of scores alone are refused
        if isinstance(options.get("translate", {}), dict):  # otherwise, fill reports the type
            search = self._search(options.get("translate", {}))
            for field in "beam", "length_penalty", "precision", "replace_unknown":
                setattr(given.translate, field, getattr(search, field))
        evaluate_options(given, options)
        scores = library.complete("elman_scores")()
        _set_progress(functions, given, progress)
        with self._use() as model, pairs_of("pairs", pairs)._use() as read:
            ended = functions.call(library.elman_evaluate, ctypes.byref(scores), model, read, ctypes.byref(given))
        return record_of(scores) if ended else None

    @with_options("elman_gradient_options")
    def check_gradients(self, sources: typing.Iterable[str], targets: typing.Iterable[str],
                        alignments: typing.Iterable[str] | None = None, progress: Progress = None,
                        **options: typing.Any) -> GradientReport | None:
        """Return the fields of elman_gradient_report for pairs of texts; `tensors` is a dictionary by name. If `progress` returns False, return None."""
        given, functions = fill(library.elman_gradient_options_default(), options), Functions()
        _set_progress(functions, given, progress)
        sources, targets = texts_of("sources", sources), texts_of("targets", targets)
        links = sources if alignments is None else texts_of("alignments", alignments)
        if not len(sources) == len(targets) == len(links):
            raise ValueError("there are not as many sources, targets and alignments: "
                             f"{len(sources)}, {len(targets)} and {len(links)}")
        if alignments is not None:
            given.alignments = links
        report = ctypes.POINTER(library.complete("elman_gradient_report"))()
        with self._use() as model:
            if not functions.call(library.elman_gradient_check, ctypes.byref(report), model, sources, targets,
                                  len(sources), ctypes.byref(given)):
                return None
            try:
                result = record_of(report.contents)
                tensors = map(record_of, report.contents.tensors[: report.contents.tensor_count])
                result = dataclasses.replace(result, tensors={tensor.name: tensor for tensor in tensors})
            finally:
                library.elman_gradient_report_free(report)
        return result


@with_options("elman_model_options", elman_train_options=None)
def train(pairs: Pairs, dev: Pairs | None = None, preset: Preset = "plain", hours: float = 0,
          tune_search: bool | None = None, epoch_ended: EpochEnded = None, **options: typing.Any) -> Model:
    """Return a new model, trained on the pairs as `elman train` does: Model.create and Model.train, with the options of
    both, except the callbacks other than epoch_ended. For a real corpus, give dev pairs and preset="small". If Ctrl-C or
    another exception ends training after the first update, the exception has the model with what it has learned in its
    attribute `model`."""
    of_model, of_training = ([name for name, *_ in options_of(f"elman_{each}_options")] for each in ("model", "train"))
    for name in options:
        if name not in of_model and name not in of_training:
            raise TypeError(unknown_option("elman_train_options", name, (*OF_TRAIN, *of_model)))
    creation = {name: value for name, value in options.items() if name in of_model or name in OF_CREATION}
    training = {name: value for name, value in options.items() if name not in of_model}
    model = Model.create(pairs, preset=preset, **creation)
    try:
        model.train(pairs, dev, epoch_ended, preset=preset, hours=hours, tune_search=tune_search, **training)
    except BaseException as raised:
        if model.info.history.updates > 0:
            raised.model = model
            if hasattr(raised, "add_note"):
                raised.add_note("the attribute `model` of this exception is the model with what it has learned")
        raise
    return model


def _set_progress(functions, options, progress):
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be a function, not {progress!r}")
    functions.set(options, "progress", progress, value_of)
