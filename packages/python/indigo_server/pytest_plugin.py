"""pytest fixtures: one server for the run, one template with the schema, a clone for each test.

  indigo_db         the test's own database (indigo_server.Database): url, dsn, env, connect(), execute()
  indigo_template   its template, made once: the files of the ini option `indigo_schema`, then `indigo_migrate`
  indigo_migrate    override it to run your migrations: a function that is given the template's Database
  indigo_server     the server: create(), drop(), url()

With xdist all workers share the server and the template.
"""
import contextlib
import fcntl
import itertools
import os
import pathlib
import shutil
import tempfile

import pytest

from indigo_server.server import Database, Server, create, drop

TEMPLATE = "indigo_template"


class _Run:
    """One pytest run: its server, which the process that the user started owns, and a folder that its workers share."""

    def __init__(self, shared=None):
        self.owner = shared is None
        self.server = None
        self.folder = tempfile.mkdtemp(prefix="indigo-pytest-") if self.owner else shared["folder"]
        self.port = None if self.owner else shared["port"]

    def admin(self):
        if self.port is None:
            self.server = Server()
            self.port = self.server.port
        return Database("localhost", self.port, "postgres")

    def end(self):
        if not self.owner:
            return
        if self.server:
            self.server.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    @contextlib.contextmanager
    def alone(self):
        """No other worker is in here at the same time."""
        with open(os.path.join(self.folder, "lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield pathlib.Path(self.folder)


class _SharedServer:
    """What indigo_server answers: the run's server, in whichever process."""

    def __init__(self, admin):
        self.admin, self.host, self.port = admin, admin.host, admin.port

    def database(self, name):
        return Database(self.host, self.port, name)

    def url(self, name):
        return self.database(name).url

    def execute(self, sql, database="postgres"):
        return self.database(database).execute(sql)

    def create(self, name, template=None):
        return create(self.admin, name, template)

    def drop(self, name):
        drop(self.admin, name)


class _Workers:
    """xdist's hook: it may not be declared where xdist is not installed."""

    @staticmethod
    def pytest_configure_node(node):
        run = node.config.indigo_run
        run.admin()  # the workers come and go, the server stays
        node.workerinput["indigo"] = {"folder": run.folder, "port": run.port}


def pytest_addoption(parser):
    parser.addini("indigo_schema", "SQL files that make indigo_template", type="paths", default=[])


def pytest_configure(config):
    config.indigo_run = _Run(getattr(config, "workerinput", {}).get("indigo"))
    if config.pluginmanager.hasplugin("xdist"):
        config.pluginmanager.register(_Workers(), "indigo_workers")


def pytest_unconfigure(config):
    config.indigo_run.end()


@pytest.fixture(scope="session")
def indigo_server(pytestconfig):
    return _SharedServer(pytestconfig.indigo_run.admin())


@pytest.fixture(scope="session")
def indigo_migrate():
    """Override it: return a function that is given the template's Database."""
    return None


@pytest.fixture(scope="session")
def indigo_template(pytestconfig, indigo_server, indigo_migrate):
    with pytestconfig.indigo_run.alone() as folder:
        done = folder / "template"
        if not done.exists():
            indigo_server.drop(TEMPLATE)  # of a worker whose migrations failed
            template = indigo_server.create(TEMPLATE)
            for file in pytestconfig.getini("indigo_schema"):
                template.execute(pathlib.Path(file).read_text())
            if indigo_migrate is not None:
                indigo_migrate(template)
            done.touch()
    return indigo_server.database(TEMPLATE)


_numbers = itertools.count(1)


@pytest.fixture
def indigo_db(indigo_server, indigo_template):
    name = f"test_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}_{next(_numbers)}"
    yield indigo_server.create(name, indigo_template.name)
    indigo_server.drop(name)
