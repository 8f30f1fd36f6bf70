"""Training in steps."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import time
import typing
import weakref

from elman._library import Error, Functions, call, library
from elman._options import LOG, check, expect_function, fill, number_of, preset_of
from elman._pairs import pairs_of
from elman.records import value_of

if typing.TYPE_CHECKING:
    from elman.records import Validation

CALLBACKS = "report", "validated", "checkpoint_written", "snapshot_written"
OWN = ("dev", "preset", "hours", "tune_search", *CALLBACKS)  # parameters of Model.training
MOST_HOURS = 1_000_000
ALL = ctypes.c_size_t(-1).value


@dataclasses.dataclass
class Epoch:
    """The result of an epoch of training."""

    epoch: int  # from 1
    epochs: int
    updates: int  # since the start of training
    loss: float  # mean cross-entropy per target token of this epoch
    learning_rate: float
    seconds: float  # time of this epoch
    validation: Validation | None  # the last validation of this epoch; None without dev pairs

    def __str__(self) -> str:
        text = f"epoch {self.epoch} of {self.epochs}: loss {self.loss:.4f}"
        if self.validation is not None:
            text += f", dev loss {self.validation.loss:.4f}, BLEU {self.validation.bleu:.2f}, chrF2 {self.validation.chrf:.2f}"
        return text


def _free(pointer, uses):
    library.elman_training_free(pointer)
    uses.close()


class Training:
    """A training run that the program advances: Model.training creates it. Between two steps the model can be used: it
    has the parameters of the last update. The result is that of Model.train, byte for byte. Iterate over the epochs,

        for epoch in model.training(pairs, epochs=20):
            print(epoch.loss, model.translate("...").text)

    or call `advance` and, at the end, `finish`. The end of `with` or of the iteration, also by `break`, finishes."""

    def __init__(self, model, pairs, dev, functions, options, preset="plain", hours=0, tune_search=None, own=OWN):
        given, uses = fill(library.elman_train_options_default(), options, own), contextlib.ExitStack()
        used_preset, limit = preset_of(preset, given, options), number_of("hours", hours, ctypes.c_double)
        if not 0 <= limit <= MOST_HOURS:
            raise ValueError(f"hours must be from 0 to {MOST_HOURS:,}, where 0 is no limit, not {hours!r}")
        self._ends_at = time.monotonic() + 3600 * limit if limit > 0 else None
        self._dev = self._tuned_on(dev, preset, tune_search)
        self._model, self._functions, self._last, self._validation = model, Functions(), None, None
        self._pointer, self._finished, self._stopped, self._ended = ctypes.c_void_p(), False, False, False
        self._time_is_over = False
        for name in CALLBACKS:
            function = expect_function(name, functions.get(name))
            if name == "report":
                self._functions.set(given, name, self._note_report(function), lambda report: report)
            elif name == "validated":
                self._functions.set(given, name, self._note_validation(function), value_of)
            elif function is not None:
                self._functions.set(given, name, function, value_of)
        try:
            if dev is not None:
                given.dev = uses.enter_context(pairs_of("dev", dev)._use())
            call(library.elman_preset_apply, None, ctypes.byref(given), ctypes.byref(used_preset))
            check(given, options)
            uses.enter_context(model._hold())
            self._options = given
            with pairs_of("pairs", pairs)._use() as read, model._use() as used:
                call(library.elman_preset_fit, ctypes.byref(given), used, library.elman_pairs_count(read),
                     ctypes.byref(used_preset))
                call(library.elman_training_create, ctypes.byref(self._pointer), used, read, ctypes.byref(given))
        except BaseException:
            uses.close()
            raise
        self._free = weakref.finalize(self, _free, self._pointer, uses)

    @staticmethod
    def _tuned_on(dev, preset, tune_search):
        """Return the pairs on which the search is to be tuned, or None."""
        if tune_search is None:
            tune_search = library.elman_preset_tunes_search(preset.encode())
            if tune_search and dev is None:
                LOG.info("preset %s: without dev, the search is not tuned", preset)
            return dev if tune_search else None
        if not isinstance(tune_search, bool):
            raise TypeError(f"tune_search is True, False or None, not {tune_search!r}")
        if tune_search and dev is None:
            raise ValueError("tune_search needs dev pairs")
        return dev if tune_search else None

    def _note_report(self, function):
        itself = weakref.ref(self)  # the callback must not keep the run

        def note(report):
            it = report.contents
            run = itself()
            run._last = it.epoch, it.epochs, it.update, it.updates, it.updates_so_far, it.loss, it.learning_rate
            goes_on = True if function is None else function(value_of(report))
            if goes_on is not False and run._ends_at is not None and time.monotonic() >= run._ends_at:
                run._time_is_over, goes_on = True, False
            return goes_on
        return note

    def _note_validation(self, function):
        itself = weakref.ref(self)

        def note(validation):
            itself()._validation = validation
            return True if function is None else function(validation)
        return note

    @property
    def finished(self) -> bool:
        """Whether no update remains."""
        return self._finished

    def advance(self, updates: int = 1) -> bool:
        """Do at most so many updates; return whether updates remain. False also means that a callback stopped the
        run."""
        done = ctypes.c_bool()
        if number_of("updates", updates, ctypes.c_size_t) < 1:
            raise ValueError(f"updates must be a whole number from 1, not {updates!r}")
        self._open()
        with self._model._use():
            if not self._functions.call(library.elman_training_advance, self._pointer, updates, ctypes.byref(done)):
                self._stopped = True
                return False
        self._finished = done.value
        return not self._finished

    def save(self) -> None:
        """Write the checkpoint of the option `checkpoint` now."""
        self._open()
        with self._model._use():
            self._functions.call(library.elman_training_save, self._pointer)

    def finish(self) -> bool:
        """End the run, after the last update or before, as Model.train does: the model becomes the best one on the dev
        pairs, and the checkpoint is written. If all updates were done, or the time of `hours` is over, the search is
        tuned as the preset states. Return whether no update remained."""
        if not self._ended:
            self._open()
            self._ended = True
            try:
                with self._model._use():
                    self._functions.call(library.elman_training_finish, self._pointer)
            finally:
                self._free()
            if self._dev is not None and (self._finished or self._time_is_over):
                self._tune_search()
        return self._finished

    def _tune_search(self):
        """Store the best search on the dev pairs in the model, as the command does."""
        with self._model._use() as model:
            replaces = library.elman_model_translate_options(model).replace_unknown
        tokens = self._options.bleu_tokens
        self._model.tune_search(self._dev, threads=self._options.threads, translate={"replace_unknown": replaces},
                                metric={} if tokens is None else {"bleu_tokens": tokens.decode()})

    def _open(self):
        if self._ended or not self._free.alive:
            raise ValueError("the training run has ended")

    def __enter__(self) -> typing.Self:
        return self

    def __exit__(self, kind: object, raised: BaseException | None, trace: object) -> None:
        try:
            self.finish()
        except Error as error:
            if raised is None:
                raise
            if hasattr(raised, "add_note"):
                raised.add_note(f"and the end of training failed: {error}")

    def __iter__(self) -> typing.Iterator[Epoch]:
        with self:
            remain = not self._finished
            while remain and not self._stopped:
                start, self._validation = time.perf_counter(), None
                remain = self.advance()
                while remain and self._last[2] < self._last[3]:
                    remain = self.advance(self._last[3] - self._last[2])
                if self._last is None or self._stopped:
                    return
                epoch, epochs, _, _, updates, loss, rate = self._last
                yield Epoch(epoch, epochs, updates, loss, rate, time.perf_counter() - start, self._validation)
                remain = remain and not self._ended

    def __reduce__(self):
        raise TypeError("a training run cannot be copied or pickled; copy the model, or resume from the file of the option "
                        "checkpoint")

    def __repr__(self) -> str:
        state = "ended" if self._ended else "finished" if self._finished else "running"
        return f"<Training: {state}{f', epoch {self._last[0]} of {self._last[1]}' if self._last else ''}>"
