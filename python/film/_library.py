"""Loads the three libraries and calls them: errors become exceptions, options become structs.

libfilm is loaded at import, libfilm-pool and libfilm-train at their first call. Each is looked for
in the package (a wheel), on LD_LIBRARY_PATH, in the checkout's build/release, then by the system.
"""
import ctypes
import json
import os
import signal
import threading
from collections import deque
from functools import lru_cache
from itertools import accumulate

from . import _abi

NONE = ctypes.c_size_t(-1).value  # FILM_NONE: a count of 0 that is meant
ZERO = -1e300  # FILM_ZERO: a number 0 that is meant
_FILES = {"film": "libfilm.so.1", "pool": "libfilm-pool.so.1", "train": "libfilm-train.so.1"}
_HERE = os.path.dirname(os.path.realpath(__file__))
_loaded = {}


class Error(Exception):
    """A call of FILM failed. The message says what is wrong, where and what to do."""


class UsageError(Error, ValueError):
    """An argument or an option is invalid."""


class BadInputError(Error, ValueError):
    """The content of a file or a text is invalid."""


class FileError(Error, OSError):
    """A file or a database could not be read or written."""


class DeniedError(Error, PermissionError):
    """The user of the database lacks the permission."""


class Cancelled(Error):
    """A callback cancelled the call."""


_ERRORS = {
    _abi.FILM_USAGE: UsageError, _abi.FILM_BAD_INPUT: BadInputError, _abi.FILM_IO: FileError,
    _abi.FILM_CANCELLED: Cancelled, _abi.FILM_NO_MEMORY: MemoryError,
    _abi.FILM_DENIED: DeniedError,
}


def _places(file):
    yield os.path.join(_HERE, "lib", file)
    for folder in filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(":")):
        yield os.path.join(folder, file)
    yield os.path.join(_HERE, "..", "..", "build", "release", file)


def data_file(file):
    """The path of an installed table, such as english.words, or None: where film finds it."""
    shared = os.path.join("share", "film", file)
    folders = filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(":"))
    places = [*_places(file), *(os.path.join(folder, "..", shared) for folder in folders),
              os.path.join("/usr/local", shared), os.path.join("/usr", shared)]
    return next(filter(os.path.exists, places), None)


def library(name):
    """The library NAME ("film", "pool" or "train"), loaded at its first use."""
    if name not in _loaded:  # a second thread may load it too, which is the same library
        path = next(filter(os.path.exists, _places(_FILES[name])), _FILES[name])
        try:
            _loaded[name] = ctypes.CDLL(path)
        except OSError as error:
            raise ImportError(
                f"{_FILES[name]}: {error}; build FILM with scripts/build, install its "
                "packages, or set LD_LIBRARY_PATH to the folder of the library") from None
    return _loaded[name]


class _Calls:
    """The functions of the C API as attributes, each prepared at its first use."""

    def __getattr__(self, name):
        if "film_" + name not in _abi.FUNCTIONS:
            raise AttributeError(name)
        owner, result, arguments = _abi.FUNCTIONS["film_" + name]
        function = getattr(library(owner), "film_" + name)
        function.restype, function.argtypes = _abi.made(result), _abi.made(arguments)
        setattr(self, name, function)
        return function


C = _Calls()


def check(function, *arguments):
    """Calls FUNCTION with ARGUMENTS and an error, and raises when it fails.

    The first of ARGUMENTS may be a Handle. Returns whether there was something: False stands for
    FILM_END.
    """
    if arguments and isinstance(arguments[0], Handle):
        with arguments[0] as address:
            return check(function, address, *arguments[1:])
    error = _abi.film_error()
    status = function(*arguments, ctypes.byref(error))
    if status not in (_abi.FILM_OK, _abi.FILM_END):
        raise _ERRORS.get(status, Error)(error.message.decode("utf-8", "replace"))
    return status == _abi.FILM_OK


def pointer(function, *arguments):
    """Calls a function that returns a handle in its last argument before the error."""
    out = ctypes.c_void_p()
    check(function, *arguments, ctypes.byref(out))
    return out


def string(function, *arguments, before_error=()):
    """Calls a function that returns a string to free, and returns it as str."""
    out = ctypes.c_char_p()
    try:
        check(function, *arguments, ctypes.byref(out), *before_error)
        return out.value.decode()
    finally:
        C.free(ctypes.cast(out, ctypes.c_void_p))


# ---- handles ------------------------------------------------------------------------------------


class Handle:
    """Owns a pointer of the library, which nothing else keeps.

    A call of the library takes the pointer by `with`. `close` frees it if no call uses it;
    otherwise the last of these calls does. There is no lock, which a signal handler or a forked
    process could find held: `with` counts the call before it reads the flag, `close` sets the flag
    before it reads the count, and of several threads that may free it, one takes the pointer.
    """

    def __init__(self, what, pointer=None, free=lambda pointer: None, *, owner=None, process=None):
        """OWNER is the handle that POINTER is a part of, PROCESS the only process that may use it.
        Without POINTER, the handle is closed."""
        self.what, self.free, self.owner, self.process = what, free, owner, process
        self.contexts = owner.contexts if owner else deque()  # idle, with their settings
        self.calls, self.pointers, self.closed = [], [pointer], pointer is None

    def __enter__(self):
        """Returns the pointer, which is valid in the `with` block."""
        if self.owner:
            self.owner.__enter__()
        self.calls.append(None)
        if self.closed or self.process not in (None, os.getpid()):
            self.__exit__()
            raise ValueError(f"the {self.what} is closed") if self.closed else \
                UsageError(forked(self.what, self.process))
        return self.pointers[0]

    def __exit__(self, *exception):
        self.calls.pop()
        if self.closed:
            self._free_unused()
        if self.owner:
            self.owner.__exit__()

    def close(self):
        self.closed = True
        self._free_unused()

    def _free_unused(self):
        if not self.calls and self.process in (None, os.getpid()):
            try:
                pointer = self.pointers.pop()
            except IndexError:
                return  # it is free, or another thread frees it
            while self.contexts:
                C.context_free(self.contexts.pop()[0])
            self.free(pointer)

    __del__ = close


# The process and the file of every open pool. SQLite counts the locks of its process in memory. A
# fork copies the counts, but the system does not give the locks to the child. In the child, neither
# the parent's pool is safe nor another one of the same file: SQLite believes that it has the lock,
# and when the parent closes its pool, it removes the log with the rows that the child has added.
# Opening the pool again in the child loses rows too, so both are refused.
open_pools = []


def file_of(path):
    """What tells a file from others under any name; None if there is none."""
    try:
        about = os.stat(path)
    except OSError:
        return None
    return about.st_dev, about.st_ino


def forked(what, process):
    """Why a process cannot use WHAT, which PROCESS opened before it forked, and what to do."""
    return (f"{what}: opened in process {process} before it forked process {os.getpid()}; open it "
            "only after the fork, or start processes with multiprocessing.get_context('spawn')")


# ---- text ---------------------------------------------------------------------------------------


def record(fields):
    """A dict as the text of a record (film_record_json). None and NaN are missing values."""
    known = {str(name): value for name, value in fields.items()
             if value is not None and value == value}
    return string(C.record_json, text(json.dumps(known, ensure_ascii=False, default=str)))


def is_frame(data):
    """Whether DATA is a data frame: iterating over one would give the names of its columns."""
    return hasattr(data, "__dataframe__") or hasattr(data, "to_dict") and hasattr(data, "columns")


def rows_of(data):
    """The rows of a data frame as dicts, without missing values; other DATA as it is."""
    if not is_frame(data):
        return data
    if not hasattr(data, "to_dict"):
        from pandas.api.interchange import from_dataframe
        data = from_dataframe(data)
    return [{name: value for name, value in row.items() if value is not None and value == value}
            for row in data.to_dict("records")]


def encode(text):
    if isinstance(text, dict):
        text = record(text)
    if not isinstance(text, str):
        raise TypeError(f"expected a str or a dict, got {type(text).__name__}")
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise BadInputError(f"text is not valid Unicode at character {error.start}") from None


def c_string(value):
    """A str or a path as bytes that C reads up to their end."""
    data = os.fsencode(value)
    if b"\0" in data:
        raise UsageError(f"{value!r} contains a NUL character")
    return data


def path_bytes(path):
    """The path of a file that the library reads or writes, which must not be an open pool: when a
    process closes any descriptor of a file, the system drops the locks of SQLite on it."""
    if (os.getpid(), file_of(c_string(path))) in open_pools:
        raise UsageError(f"{path!r}: this process has this pool open; use it, or close it first")
    return c_string(path)


def text(value):
    """A str, or a dict as a record, as film_text. The result keeps its bytes alive."""
    data = encode(value)
    result = _abi.film_text(ctypes.cast(data, ctypes.c_void_p), len(data))
    result.kept = data
    return result


def texts(values):
    """Many str or dicts as an array of film_text, with one buffer for all bytes."""
    from array import array
    encoded = list(map(encode, rows_of(values)))
    blob = ctypes.create_string_buffer(b"".join(encoded))
    lengths = array("Q", map(len, encoded))
    flat = array("Q", bytes(16 * len(encoded)))
    flat[0::2] = array("Q", accumulate(lengths, initial=ctypes.addressof(blob)))[:-1]
    flat[1::2] = lengths
    result = (_abi.film_text * len(encoded)).from_buffer(flat) if encoded else \
        (_abi.film_text * 0)()
    result.kept = blob
    return result


def read(address, length):
    """LENGTH bytes at ADDRESS as str; "" for NULL."""
    return ctypes.string_at(address, length).decode("utf-8", "replace") if address else ""


def read_text(value):
    return read(value.bytes, value.length)


def read_sentence(value):
    """A film_text as str, that of a record as dict."""
    sentence = read_text(value)
    if not sentence.startswith("\x1e"):
        return sentence
    return dict(field.split("\x1f", 1) for field in sentence[1:].split("\x1e") if "\x1f" in field)


def optional(value):
    """A film_text as str, or None where there is none."""
    return read_text(value) if value.bytes and value.length else None


# ---- options ------------------------------------------------------------------------------------


_NUMBERS = (ctypes.c_double, ctypes.c_size_t, ctypes.c_int, ctypes.c_uint, ctypes.c_uint64)


def _is_value(name, kind):
    """Whether a field holds a value: not the size, and no pointer, its count, or callback."""
    if name in ("size", "reserved", "progress") or name.endswith("_count"):
        return False
    if issubclass(kind, ctypes.Array):
        return kind._type_ in _NUMBERS
    return kind in _NUMBERS or kind is ctypes.c_char_p or issubclass(kind, ctypes.Structure)


@lru_cache(None)
def _known(kind):
    """The options of a struct: name -> type."""
    return {name: of for name, of in kind._fields_ if _is_value(name, of)}


def options(kind, values, where=""):
    """A struct of type KIND from a dict. None means the default and 0 means zero."""
    struct, known = kind(), _known(kind)
    struct.kept = []
    if kind._fields_[0][0] == "size":
        struct.size = ctypes.sizeof(kind)
    for name, value in values.items():
        if value is None:
            continue
        if name not in known:
            raise TypeError(f"unknown option {where}{name}; known: {', '.join(known)}")
        names = _abi.ENUMS.get(getattr(kind, "_enums_", {}).get(name))
        if names and isinstance(value, str):
            if value not in names:
                raise UsageError(
                    f"{where}{name}: unknown value {value!r}; known: {', '.join(names)}")
            value = names[value]
        if isinstance(value, dict) and issubclass(known[name], ctypes.Structure):
            value = options(known[name], value, f"{where}{name}.")
            struct.kept.append(value)
        try:
            setattr(struct, name, _field(known[name], value))
        except OverflowError:
            raise UsageError(f"option {where}{name}: {value!r} is out of range") from None
        except (TypeError, IndexError) as error:
            raise TypeError(f"option {where}{name}: {error}") from None
    return struct


def _field(kind, value):
    """VALUE as a field of type KIND."""
    if kind is ctypes.c_char_p:
        return path_bytes(value)
    if issubclass(kind, ctypes.Array):
        return kind(*value)
    if kind not in _NUMBERS:
        return value
    number = kind(value)
    if number.value != value:  # ctypes keeps the lowest bits
        raise OverflowError
    if value == 0 and kind in (ctypes.c_size_t, ctypes.c_double):
        return NONE if kind is ctypes.c_size_t else ZERO
    return number


# ---- callbacks ----------------------------------------------------------------------------------


class Callbacks:
    """Keeps callbacks alive for one call, and raises in Python what a callback raised.

    An exception, such as KeyboardInterrupt, cannot pass through C: the callback returns non-zero
    to cancel the call, and `run` raises the exception when the call has returned.
    """

    def __init__(self):
        self.kept, self.raised = [], None

    def wrap(self, kind, function):
        """FUNCTION as a C callback of type KIND. It stops the call by returning True."""
        def call(*arguments):
            try:
                return 1 if self.raised is not None or function(*arguments) else 0
            except BaseException as error:  # noqa: B902 - raised again by run
                self.raised = self.raised or error
                return 1
        self.kept.append(kind(call))
        return self.kept[-1]

    def progress(self, bar):
        """A film_progress that draws BAR. Ctrl-C reaches Python while C calls it."""
        result = _abi.film_progress()
        result.call = self.wrap(
            _abi.film_progress_fn,
            lambda user, phase, done, total: bar.update(phase.decode(), done, total))
        return result

    def _catch_signal(self):
        """Ctrl-C during the call sets `raised`. Returns the handler to restore, or None.

        Python runs a handler where it next runs Python: at the first instruction of a callback,
        before its `try`. There an exception would be lost.
        """
        handler = signal.getsignal(signal.SIGINT)
        if not callable(handler) or threading.current_thread() is not threading.main_thread():
            return None

        def on_signal(number, frame):
            try:
                handler(number, frame)
            except BaseException as error:  # noqa: B902 - raised again by run
                self.raised = self.raised or error
        signal.signal(signal.SIGINT, on_signal)
        return handler

    def run(self, function, *arguments):
        found, handler = False, self._catch_signal()
        try:
            found = check(function, *arguments)
        except Error:
            if self.raised is None:
                raise
        finally:
            if handler is not None:
                signal.signal(signal.SIGINT, handler)
        if self.raised is not None:
            raise self.raised
        return found
