import pytest
from indigo_server import Server, SqlError


@pytest.mark.parametrize("number", range(20))
def test_each_has_its_own(indigo_db, number):
    with indigo_db.connect() as connection:
        assert connection.execute("select title from film order by id").fetchall() == [("Metropolis",), ("M",)]
        connection.execute("insert into film (title) values (%s)", (f"film {number}",))
        connection.commit()
        assert connection.execute("select count(*), max(id) from film").fetchone() == (3, 3)
    assert indigo_db.execute("select count(*) from migrated") == [("1",)]


def test_urls_and_errors(indigo_db, indigo_server, indigo_template):
    assert indigo_db.url == f"postgresql://postgres@localhost:{indigo_server.port}/{indigo_db.name}"
    assert indigo_db.env["PGDATABASE"] == indigo_db.name
    with pytest.raises(SqlError) as caught:
        indigo_db.execute("insert into film (title) values ('M')")
    assert caught.value.sqlstate == "23505"
    assert indigo_template.execute("select null, 'ä'") == [(None, "ä")]


def test_a_server_of_ones_own():
    with Server(work_mem="7MB") as server:
        assert server.execute("show work_mem") == [("7MB",)]
        server.create("first")
        server.create("second", template="first")
        server.drop("second")
