"""Databases, connections and cursors."""
import ctypes
import re
import threading

from indigo_embedded import errors
from indigo_embedded.library import NOTICE, Notification, encoded, library, texts
from indigo_embedded.values import reader, text_of


class Database:
    """`directory`: where the data is kept; None: in memory. Settings are those of a server: Database(fsync="off")."""

    def __init__(self, directory=None, **settings):
        error = ctypes.c_void_p()
        given = texts([encoded(f"{name}={value}") for name, value in settings.items()] + [None])
        self._handle = library.open(None if directory is None else encoded(str(directory)), given, ctypes.byref(error))
        if not self._handle:
            raise errors.OperationalError(library.taken(error))
        self._connections = set()
        self._lock = threading.Lock()

    def connect(self, user=None, dbname=None, autocommit=False):
        return Connection(self, user, dbname, autocommit)

    def close(self):
        """Closes its connections, too."""
        with self._lock:
            connections, handle, self._handle = list(self._connections), self._handle, None
        for connection in connections:
            connection.close()
        if handle:
            library.close(handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def connect(directory=None, user=None, dbname=None, autocommit=False, **settings):
    """A database with one connection, which closes it."""
    database = Database(directory, **settings)
    try:
        connection = database.connect(user, dbname, autocommit)
    except BaseException:
        database.close()
        raise
    connection._owned = database
    return connection


class Connection:
    """A transaction begins with the first statement unless `autocommit` is set. Statements of several threads go one after the other."""

    Warning, Error, InterfaceError, DatabaseError = errors.Warning, errors.Error, errors.InterfaceError, errors.DatabaseError
    DataError, OperationalError, IntegrityError = errors.DataError, errors.OperationalError, errors.IntegrityError
    InternalError, ProgrammingError = errors.InternalError, errors.ProgrammingError
    NotSupportedError = errors.NotSupportedError

    def __init__(self, database, user, dbname, autocommit):
        error = ctypes.c_void_p()
        names = [None if name is None else encoded(name) for name in (user, dbname)]
        with database._lock:
            if not database._handle:
                raise errors.InterfaceError("the database is closed")
            self._handle = library.connect(database._handle, *names, ctypes.byref(error))
            if not self._handle:
                raise errors.OperationalError(library.taken(error))
            database._connections.add(self)
        self._database, self._owned = database, None
        self._lock = threading.RLock()
        self.autocommit = autocommit
        self.database = database
        self.notices = []  # (severity, sqlstate, message); the caller's to empty
        self._on_notice = NOTICE(lambda _, *told: self.notices.append(tuple(text.decode() for text in told)))
        library.on_notice(self._handle, self._on_notice, None)

    def close(self):
        with self._lock:
            handle, self._handle = self._handle, None
            if not handle:
                return
            library.disconnect(handle)
        with self._database._lock:
            self._database._connections.discard(self)
        if self._owned is not None:
            self._owned.close()

    def commit(self):
        self._end("commit")

    def rollback(self):
        self._end("rollback")

    def cursor(self):
        return Cursor(self)

    def execute(self, operation, parameters=None):
        return self.cursor().execute(operation, parameters)

    def cancel(self):
        """From any thread: the statement that runs fails with 57014."""
        if self._handle:
            library.cancel(self._handle)

    def notifications(self):
        """What NOTIFY has sent: a list of (sender, channel, payload)."""
        told, one = [], Notification()
        with self._lock:
            while library.next_notification(self._open(), ctypes.byref(one)):
                told.append((one.sender, one.channel.decode(), one.payload.decode()))
        return told

    @property
    def in_transaction(self):
        with self._lock:
            return library.transaction_status(self._open()) != b"I"

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        """Commits, or rolls back after an exception; and closes."""
        try:
            if self._handle:
                self.rollback() if kind else self.commit()
        finally:
            self.close()

    def _open(self):
        if not self._handle:
            raise errors.InterfaceError("the connection is closed")
        return self._handle

    def _end(self, how):
        with self._lock:
            if self.in_transaction:
                _Results(library.query(self._open(), how.encode())).close()

    def _begin(self):
        if not self.autocommit and library.transaction_status(self._open()) == b"I":
            _Results(library.query(self._open(), b"begin")).close()


class _Results:
    """The chain of results of one call; raises what the call's last statement failed with."""

    def __init__(self, first):
        self._first, self.current = first, first
        last = first
        while (following := library.next(last)):
            last = following
        if not library.ok(last):
            said = [function(last).decode() for function in (library.sqlstate, library.message, library.detail, library.hint)]
            error = errors.of(*said, library.position(last))
            self.close()
            raise error

    def next(self):
        following = library.next(self.current)
        if following:
            self.current = following
        return bool(following)

    def close(self):
        if self._first:
            library.free_result(self._first)
            self._first = None

    def __del__(self):
        self.close()


_MARK = re.compile(r"%(?:\((?P<name>[^)]*)\)s|(?P<mark>.)|$)", re.S)


def numbered(operation, parameters):
    """%s, %(name)s and %% of an operation as $1, $2 ...; the values in their order."""
    values, numbers = [], {}
    named = hasattr(parameters, "keys")

    def place(match):
        if match["mark"] == "%":
            return "%"
        if match["name"] is not None and named:
            name = match["name"]
            if name not in numbers:
                if name not in parameters:
                    raise errors.ProgrammingError(f"no parameter is named {name}")
                values.append(parameters[name])
                numbers[name] = len(values)
            return f"${numbers[name]}"
        if match["mark"] == "s" and not named:
            if len(values) == len(parameters):
                raise errors.ProgrammingError(f"the statement has more places than the {len(parameters)} parameters")
            values.append(parameters[len(values)])
            return f"${len(values)}"
        raise errors.ProgrammingError(f"{match[0]!r} is no place for a parameter here; write %% for a percent sign")

    text = _MARK.sub(place, operation)
    if not named and len(values) < len(parameters):
        raise errors.ProgrammingError(f"the statement has {len(values)} places for {len(parameters)} parameters")
    return text, values


class Cursor:
    def __init__(self, connection):
        self.connection = connection
        self.arraysize = 1
        self.closed = False
        self._forget()

    def close(self):
        self._forget()
        self.closed = True

    def execute(self, operation, parameters=None):
        """Without parameters `operation` may be several statements, and % has no meaning."""
        self._ready()
        if parameters is None:
            text, values = operation, None
        else:
            text, values = numbered(operation, parameters)
            values = [text_of(value) for value in values]
        self._run(text, values)
        return self

    def executemany(self, operation, seq_of_parameters):
        self._ready()
        count = 0
        for parameters in seq_of_parameters:
            self.execute(operation, parameters)
            count += max(self.rowcount, 0)
        self.rowcount = count
        return self

    def copy_in(self, operation, data):
        """COPY ... FROM STDIN of `data`, a str or bytes."""
        self._ready()
        data = data.encode() if isinstance(data, str) else bytes(data)
        with self.connection._lock:
            self.connection._begin()
            self._take(_Results(library.copy_in(self.connection._open(), encoded(operation), data, len(data))))
        return self

    def copied(self):
        """The bytes that COPY ... TO STDOUT wrote."""
        size = ctypes.c_size_t()
        self._ready()
        if self._results is None:
            raise errors.ProgrammingError("nothing has been executed")
        data = library.copied(self._results.current, ctypes.byref(size))
        return ctypes.string_at(data, size.value) if data else b""

    def nextset(self):
        self._ready()
        if self._results is None or not self._results.next():
            return None
        self._look()
        return True

    def fetchone(self):
        rows = self.fetchmany(1)
        return rows[0] if rows else None

    def fetchmany(self, size=None):
        self._ready()
        if self.description is None:
            raise errors.ProgrammingError("the last statement answered no rows")
        end = min(self._at + (self.arraysize if size is None else size), self._rows)
        rows = [self._row(row) for row in range(self._at, end)]
        self._at = end
        return rows

    def fetchall(self):
        return self.fetchmany(self._rows)

    def setinputsizes(self, sizes):
        """Types are found by the statement."""

    def setoutputsize(self, size, column=None):
        """Values are never cut."""

    def __iter__(self):
        return self

    def __next__(self):
        row = self.fetchone()
        if row is None:
            raise StopIteration
        return row

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _ready(self):
        if self.closed:
            raise errors.InterfaceError("the cursor is closed")

    def _forget(self):
        self._results, self._at, self._rows = None, 0, 0
        self.description, self.rowcount, self.statusmessage = None, -1, None

    def _run(self, text, values):
        self._forget()
        with self.connection._lock:
            self.connection._begin()
            handle = self.connection._open()
            if values is None:
                self._take(_Results(library.query(handle, encoded(text))))
            else:
                self._take(_Results(library.query_params(handle, encoded(text), len(values), texts(values))))

    def _take(self, results):
        self._forget()
        self._results = results
        self._look()

    def _look(self):
        result = self._results.current
        self._at, self._rows = 0, library.rows(result)
        self.statusmessage = library.tag(result).decode()
        self.rowcount = library.affected(result)
        columns = library.columns(result)
        types = [library.column_type(result, column) for column in range(columns)]
        self._readers = [reader(oid) for oid in types]
        names = (library.column_name(result, column).decode() for column in range(columns))
        described = [(name, oid, None, None, None, None, None) for name, oid in zip(names, types)]
        self.description = described if columns or self.statusmessage.startswith(("SELECT", "FETCH")) else None

    def _row(self, row):
        result = self._results.current
        values = []
        for column, read in enumerate(self._readers):
            text = library.value(result, row, column)
            try:
                values.append(None if text is None else read(text.decode()))
            except (ValueError, ArithmeticError, OverflowError) as failed:
                raise errors.DataError(f"column {self.description[column][0]}: {failed}") from failed
        return tuple(values)
