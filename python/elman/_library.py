"""The library, its errors, and calls of its functions."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import signal
import threading
import typing
import weakref

from elman import _header

library = _header.Library(_header.find_library(), _header.find_include())

STATUS = {value: name for name, value in library.enum("elman_status").items()}
FINDINGS = {value: name for name, value in library.enum("elman_finding").items()}
C = ctypes.CDLL(None)  # for streams in memory
C.open_memstream.restype, C.open_memstream.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_void_p]
C.fclose.argtypes = C.free.argtypes = [ctypes.c_void_p]


# ---- errors ----


class Error(Exception):
    """An error of the library. `status` is its code as a word, such as "bad_data"; `where` is a
    place, such as a file and a line, or empty."""

    status: str
    message: str
    where: str

    def __init__(self, status: str, message: str, where: str = ""):
        super().__init__(status, message, where)
        self.status, self.message, self.where = status, message, where

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message


class FileError(Error, OSError):
    """A file that cannot be opened, created, read or written. Where the system names the reason, the exception is also
    a FileNotFoundError, a PermissionError and so on; `errno`, `strerror` and `filename` are set as in any OSError."""

    def __init__(self, status: str, message: str, where: str = ""):
        super().__init__(status, message, where)
        reason = _reason(message)
        self.errno, self.strerror, self.filename = reason, reason and os.strerror(reason), where or None


class TranslationError(Error):
    """Some texts of a list cannot be translated. `translations` contains the other translations, and None for
    each failed text; `errors` maps indices to Error. Status, message and `where` are those of the first."""

    translations: list[typing.Any]
    errors: dict[int, Error]

    def __init__(self, translations: list[typing.Any], errors: dict[int, Error]):
        first = errors[min(errors)]
        super().__init__(first.status, first.message, first.where)
        self.args = translations, errors
        self.translations, self.errors = translations, errors


# For files that cannot be opened or created: Python's exception for the reason in the message.
REASONS = {errno.ENOENT: FileNotFoundError, errno.EACCES: PermissionError, errno.EPERM: PermissionError,
           errno.EISDIR: IsADirectoryError, errno.ENOTDIR: NotADirectoryError, errno.EEXIST: FileExistsError}
OF_FILES = "no_input", "cannot_create", "io"


def _reason(message):
    """Return the number of the system's message at the end of a message of the library; None if there is none."""
    if message.startswith("is a directory"):
        return errno.EISDIR
    return next((number for number in errno.errorcode if message.endswith(f": {os.strerror(number)}")), None)


def _file_error(status, message, where):
    """Return a FileError, which is also the exception of Python for its reason."""
    base = REASONS.get(_reason(message))
    if base is None:
        return FileError(status, message, where)
    if base not in _FILE_ERRORS:
        _FILE_ERRORS[base] = type(base.__name__, (FileError, base), {
            "__module__": "elman", "__doc__": FileError.__doc__,
            "__reduce__": lambda self: (_file_error, (self.status, self.message, self.where))})
    return _FILE_ERRORS[base](status, message, where)


_FILE_ERRORS = {}


def message_of(data):
    """Return a message of the library with the names of options as they are in Python."""
    message = ctypes.create_string_buffer(len(data) + 1)
    library.elman_option_write_message(message, len(message), data, library.enum("elman_naming")["field"])
    return message.value.decode(errors="replace")


def error_of(struct):
    """Return the Error of an elman_error."""
    status, where = STATUS[struct.code], os.fsdecode(struct.where)
    make = _file_error if status in OF_FILES else Error
    return make(status, message_of(struct.message), where)


# ---- calls ----


def call(function, *arguments):
    """Call a function whose last argument is an elman_error, and raise its Error."""
    error = library.complete("elman_error")()
    if function(*arguments, ctypes.byref(error)) != 0:
        raise error_of(error)


def written(function, *arguments):
    """Return the bytes that a function writes to a stream, its first argument."""
    bytes_, size = ctypes.c_void_p(), ctypes.c_size_t()
    stream = C.open_memstream(ctypes.byref(bytes_), ctypes.byref(size))
    if not stream:
        raise MemoryError
    try:
        try:
            call(function, stream, *arguments)
        finally:
            failed = C.fclose(stream) != 0
        if failed:
            raise MemoryError
        return ctypes.string_at(bytes_, size.value)
    finally:
        C.free(bytes_)


class Memory:
    """Memory of the library, freed when nothing refers to it any more."""

    def __init__(self, free, pointer):
        self.pointer = pointer
        weakref.finalize(self, free, pointer)


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


class Functions:
    """Callbacks of a call of the library, and the signal handlers that run during it. The first exception
    of any of them ends the call and is raised after it. Use `with` around the call."""

    def __init__(self):
        self.raised, self.last, self.kept, self.handlers, self.running = None, None, [], {}, False

    def keep(self, raised):
        if self.raised is None:
            self.raised = raised

    def set(self, options, name, function, value):
        """Set a callback; None sets one that only lets signal handlers run. `value` converts its arguments."""

        def call(_, *arguments):
            try:
                if self.raised is None:
                    result = True if function is None else function(*map(value, arguments))
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
        self.last, self.raised = self.raised, None  # the functions may be used by several calls
        if self.last is not None:
            raise self.last

    def call(self, function, *arguments):
        """Return False if a callback has stopped the call."""
        try:
            with self:
                call(function, *arguments)
        except Error as error:
            if error is self.last or error.status != "interrupted":
                raise
            return False
        return True


def _release(owned):
    while owned:
        free, pointer = owned.pop()
        free(pointer)


class Handle:
    """An object of the library."""

    def __init__(self, free, make, *arguments):
        self._pointer, self._guard, self._users = ctypes.c_void_p(), threading.Lock(), 0
        call(make, ctypes.byref(self._pointer), *arguments)
        self._owned = [(free, self._pointer)]  # freed from the last to the first
        self._free = weakref.finalize(self, _release, self._owned)

    def close(self) -> None:
        """Free the memory. The object cannot be used any more."""
        with self._guard:
            if self._users > 0:
                raise RuntimeError(f"the {type(self).__name__} is in use and cannot be closed")
            self._free()

    def __enter__(self) -> typing.Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

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
