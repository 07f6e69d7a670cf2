"""The functions of indigo.h, by ctypes, which lets other threads run during each call."""
import ctypes
import os
import pathlib

from indigo_embedded import errors

_HANDLE, _TEXT, _TEXTS = ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p)
_ERROR = ctypes.POINTER(ctypes.c_void_p)  # a text that is ours to free
NOTICE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p)


class Notification(ctypes.Structure):
    _fields_ = [("sender", ctypes.c_int32), ("channel", ctypes.c_char_p), ("payload", ctypes.c_char_p)]


# Name: what it answers, what it takes.
_FUNCTIONS = {
    "version": (_TEXT, []),
    "free": (None, [ctypes.c_void_p]),
    "open": (_HANDLE, [_TEXT, _TEXTS, _ERROR]),
    "close": (None, [_HANDLE]),
    "connect": (_HANDLE, [_HANDLE, _TEXT, _TEXT, _ERROR]),
    "disconnect": (None, [_HANDLE]),
    "query": (_HANDLE, [_HANDLE, _TEXT]),
    "query_params": (_HANDLE, [_HANDLE, _TEXT, ctypes.c_int, _TEXTS]),
    "prepare": (_HANDLE, [_HANDLE, _TEXT, _TEXT]),
    "execute": (_HANDLE, [_HANDLE, _TEXT, ctypes.c_int, _TEXTS]),
    "copy_in": (_HANDLE, [_HANDLE, _TEXT, _TEXT, ctypes.c_size_t]),
    "cancel": (None, [_HANDLE]),
    "transaction_status": (ctypes.c_char, [_HANDLE]),
    "on_notice": (None, [_HANDLE, NOTICE, ctypes.c_void_p]),
    "next_notification": (ctypes.c_int, [_HANDLE, ctypes.POINTER(Notification)]),
    "next": (_HANDLE, [_HANDLE]),
    "free_result": (None, [_HANDLE]),
    "ok": (ctypes.c_int, [_HANDLE]),
    "sqlstate": (_TEXT, [_HANDLE]),
    "message": (_TEXT, [_HANDLE]),
    "detail": (_TEXT, [_HANDLE]),
    "hint": (_TEXT, [_HANDLE]),
    "position": (ctypes.c_int, [_HANDLE]),
    "tag": (_TEXT, [_HANDLE]),
    "affected": (ctypes.c_int64, [_HANDLE]),
    "columns": (ctypes.c_int, [_HANDLE]),
    "rows": (ctypes.c_int64, [_HANDLE]),
    "column_name": (_TEXT, [_HANDLE, ctypes.c_int]),
    "column_type": (ctypes.c_uint32, [_HANDLE, ctypes.c_int]),
    "value": (_TEXT, [_HANDLE, ctypes.c_int64, ctypes.c_int]),
    "copied": (ctypes.c_void_p, [_HANDLE, ctypes.POINTER(ctypes.c_size_t)]),
}


class Library:
    def __init__(self, path):
        loaded = ctypes.CDLL(str(path))
        for name, (answer, arguments) in _FUNCTIONS.items():
            function = getattr(loaded, f"indigo_{name}")
            function.restype, function.argtypes = answer, arguments
            setattr(self, name, function)

    def taken(self, error):
        """The text behind an `error` argument, given back."""
        text = ctypes.string_at(error.value).decode() if error.value else "out of memory"
        self.free(error)
        return text


def texts(values):
    """`values`: bytes or None."""
    return (ctypes.c_char_p * max(len(values), 1))(*values)


def encoded(text):
    data = text.encode()
    if b"\0" in data:
        raise errors.DataError("texts cannot have a zero byte")
    return data


# INDIGO_LIBRARY: another one than this package's.
library = Library(os.environ.get("INDIGO_LIBRARY") or pathlib.Path(__file__).parent / "libindigo.so")


def version():
    return library.version().decode()
