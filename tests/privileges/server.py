"""Asks a server for a cell of the matrix: what a statement answers to somebody."""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "wire"), str(HERE)]
import matrix_definitions  # noqa: E402
import matrix_schemas  # noqa: E402
import matrix_setup  # noqa: E402
import protocol  # noqa: E402

DATABASE = "privilege_matrix"


class Server:
    """In a database of its own, with the matrix's roles and objects. User postgres."""

    def __init__(self, address):
        directory, port = address.rsplit(":", 1)
        self.address = (directory, int(port))
        self.connect("postgres")
        self.forget()
        self.must(f"create database {DATABASE} template template0")
        for role, options in matrix_setup.ROLES.items():
            self.must(f"create role {role} {options}")
        self.connection.close()
        self.connect(DATABASE)
        self.must(matrix_setup.SETUP)
        self.must(matrix_definitions.SETUP)
        self.must(matrix_schemas.SETUP)
        self.absent = set()
        for kind, sql in matrix_setup.OPTIONAL.items():
            if self.ask(sql)[0] != "00000":
                self.absent.add(kind)
            self.must("reset role")

    def connect(self, database):
        self.connection = protocol.Connection(self.address, {})
        got = self.connection.start([("user", "postgres"), ("database", database)])
        if not got.startswith("ReadyForQuery"):
            raise RuntimeError(got)
        self.must("set client_min_messages = error; set statement_timeout = '10s'")

    def forget(self):
        self.must(f"drop database if exists {DATABASE} with (force)")
        for role in matrix_setup.ROLES:
            self.must(f"drop role if exists {role}")

    def ask(self, sql):
        """(SQLSTATE of the first error or 00000, its message)."""
        self.connection.send(protocol.message(b"Q", sql.encode() + b"\0"))
        state, message = "00000", ""
        while True:
            kind, body = self.connection.receive()
            if kind == b"E" and state == "00000":
                fields = protocol.fields(body)
                state, message = fields["C"].decode(), fields["M"].decode()
            elif kind == b"Z":
                return state, message

    def must(self, sql):
        state, message = self.ask(sql)
        if state != "00000":
            raise RuntimeError(f"{sql}: {state} {message}")

    def cell(self, who, prepare, statement):
        begun = self.ask(f"begin; {prepare}; set local session authorization {who}")
        answer = self.ask(statement.replace("{db}", DATABASE)) if begun[0] == "00000" else ("setup", begun[1])
        self.must("rollback")
        return answer

    def close(self):
        self.connection.close()
        self.connect("postgres")
        self.forget()
        self.connection.close()
