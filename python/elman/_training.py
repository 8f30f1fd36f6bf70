"""Training in steps."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import time
import typing
import weakref

from elman._library import Error, Functions, call, library
from elman._options import check, expect_function, fill
from elman._pairs import pairs_of
from elman.records import value_of

if typing.TYPE_CHECKING:
    from elman.records import Validation

CALLBACKS = "report", "validated", "checkpoint_written", "snapshot_written"
OWN = ("dev", "epoch_ended", *CALLBACKS)
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

    def __init__(self, model, pairs, dev, functions, options):
        given, uses = fill(library.elman_train_options_default(), options, OWN), contextlib.ExitStack()
        self._model, self._functions, self._last, self._validation = model, Functions(), None, None
        self._pointer, self._finished, self._stopped, self._ended = ctypes.c_void_p(), False, False, False
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
            check(given, options)
            uses.enter_context(model._hold())
            self._options = given
            with pairs_of("pairs", pairs)._use() as read, model._use() as used:
                call(library.elman_training_create, ctypes.byref(self._pointer), used, read, ctypes.byref(given))
        except BaseException:
            uses.close()
            raise
        self._free = weakref.finalize(self, _free, self._pointer, uses)

    def _note_report(self, function):
        itself = weakref.ref(self)  # the callback must not keep the run

        def note(report):
            it = report.contents
            run = itself()
            run._last = it.epoch, it.epochs, it.update, it.updates, it.updates_so_far, it.loss, it.learning_rate
            return True if function is None else function(value_of(report))
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
        if not isinstance(updates, int) or isinstance(updates, bool) or updates < 1:
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
        pairs, and the checkpoint is written. Return whether no update remained."""
        if not self._ended:
            self._open()
            self._ended = True
            try:
                with self._model._use():
                    self._functions.call(library.elman_training_finish, self._pointer)
            finally:
                self._free()
        return self._finished

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
