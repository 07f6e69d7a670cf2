"""A throw-away PostgreSQL-compatible database: the server's binary, and how to start it.

    with indigo_server.Server() as server:
        server.execute("create table film (id int primary key)", database="postgres")
        print(server.url("postgres"))
"""
from indigo_server.server import Database, Server, SqlError, binary, main

__all__ = ["Database", "Server", "SqlError", "binary", "main"]
