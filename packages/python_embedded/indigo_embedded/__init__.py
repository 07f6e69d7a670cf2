"""PostgreSQL in the process: Indigo's library behind Python's database interface (PEP 249).

    import indigo_embedded

    with indigo_embedded.connect() as connection:
        connection.execute("create table film (id int primary key, title text)")
        connection.execute("insert into film values (%s, %s)", (1, "Metropolis"))
        print(connection.execute("select title from film").fetchone())
"""
from indigo_embedded.connection import Connection, Cursor, Database, connect
from indigo_embedded.errors import (DatabaseError, DataError, Error, IntegrityError, InterfaceError, InternalError,
                                    NotSupportedError, OperationalError, ProgrammingError, Warning)
from indigo_embedded.library import version
from indigo_embedded.values import (BINARY, DATETIME, NUMBER, ROWID, STRING, Binary, Date, DateFromTicks, Time,
                                    TimeFromTicks, Timestamp, TimestampFromTicks)

apilevel = "2.0"
threadsafety = 2  # threads may share the module, databases and connections
paramstyle = "pyformat"
__version__ = version()

__all__ = [
    "BINARY", "Binary", "Connection", "Cursor", "DATETIME", "DataError", "Database", "DatabaseError", "Date", "DateFromTicks",
    "Error", "IntegrityError", "InterfaceError", "InternalError", "NUMBER", "NotSupportedError", "OperationalError",
    "ProgrammingError", "ROWID", "STRING", "Time", "TimeFromTicks", "Timestamp", "TimestampFromTicks", "Warning", "apilevel",
    "connect", "paramstyle", "threadsafety",
]
