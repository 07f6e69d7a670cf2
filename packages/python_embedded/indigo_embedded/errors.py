"""PEP 249's exceptions. Those that the database answers have what it said as attributes."""


class Warning(Exception):  # noqa: A001, the interface's name
    pass


class Error(Exception):
    """`sqlstate` is None where the database was not asked."""
    sqlstate = None
    detail = hint = ""
    position = 0  # 1-based character of the statement, 0 when unknown


class InterfaceError(Error):
    pass


class DatabaseError(Error):
    pass


class DataError(DatabaseError):
    pass


class OperationalError(DatabaseError):
    pass


class IntegrityError(DatabaseError):
    pass


class InternalError(DatabaseError):
    pass


class ProgrammingError(DatabaseError):
    pass


class NotSupportedError(DatabaseError):
    pass


# By the SQLSTATE's class; what is not listed is a DatabaseError.
KINDS = {
    "0A": NotSupportedError,
    "22": DataError, "21": ProgrammingError, "23": IntegrityError, "24": InternalError, "25": InternalError,
    "26": ProgrammingError, "28": OperationalError, "2B": InternalError, "2D": InternalError, "34": OperationalError,
    "3B": InternalError, "3D": ProgrammingError, "3F": ProgrammingError, "40": OperationalError, "42": ProgrammingError,
    "44": ProgrammingError, "53": OperationalError, "54": OperationalError, "55": OperationalError, "57": OperationalError,
    "58": OperationalError, "F0": InternalError, "XX": InternalError,
}


def of(sqlstate, message, detail="", hint="", position=0):
    error = KINDS.get(sqlstate[:2], DatabaseError)(message)
    error.sqlstate, error.detail, error.hint, error.position = sqlstate, detail, hint, position
    return error
