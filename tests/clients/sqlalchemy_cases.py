"""SQLAlchemy 1.4 and 2 over psycopg2: create_all, reflection, ORM sessions, Core."""
import datetime
import decimal
import enum

import cases
import sqlalchemy as sa
from sqlalchemy import orm

Base = orm.declarative_base(metadata=sa.MetaData(schema="sqlalchemy_cases"))


class Colour(enum.Enum):
    red = 1
    green = 2


class Author(Base):
    __tablename__ = "author"
    id = sa.Column(sa.Integer, primary_key=True)
    name = sa.Column(sa.String(50), nullable=False, unique=True)
    born = sa.Column(sa.Date)
    books = orm.relationship("Book", back_populates="author", cascade="all, delete-orphan", order_by="Book.id")


class Book(Base):
    __tablename__ = "book"
    __table_args__ = (
        sa.CheckConstraint("price >= 0", name="price_not_negative"),
        sa.Index("book_author_price", "author_id", "price", unique=False),
        {"comment": "all books"},
    )
    id = sa.Column(sa.BigInteger().with_variant(sa.BigInteger, "postgresql"), sa.Identity(), primary_key=True)
    author_id = sa.Column(sa.ForeignKey("sqlalchemy_cases.author.id", ondelete="CASCADE"), nullable=False)
    title = sa.Column(sa.Text, nullable=False, comment="as printed")
    price = sa.Column(sa.Numeric(10, 2), server_default="0", nullable=False)
    colour = sa.Column(sa.Enum(Colour, name="colour"))
    tags = sa.Column(sa.ARRAY(sa.String))
    details = sa.Column(sa.JSON)
    added = sa.Column(sa.DateTime(timezone=True), server_default=sa.func.now())
    author = orm.relationship("Author", back_populates="books")


def engine(**options):
    url = f"postgresql+psycopg2://{cases.USER}@/{cases.DATABASE}?host={cases.HOST}&port={cases.PORT}"
    return sa.create_engine(url, future=True, **options)


def fresh():
    made = engine()
    with made.begin() as connection:
        connection.execute(sa.text("drop schema if exists sqlalchemy_cases cascade"))
        connection.execute(sa.text("create schema sqlalchemy_cases"))
    Base.metadata.create_all(made)
    Base.metadata.create_all(made)  # finds them
    return made


def test_orm_session():
    made = fresh()
    with orm.Session(made, future=True) as session:
        author = Author(name="Ada", born=datetime.date(1815, 12, 10))
        for i in range(3):
            author.books.append(
                Book(title=f"Book {i}", price=decimal.Decimal("3.50") * i, colour=Colour.red, tags=["a", "b"],
                     details={"n": i})
            )
        session.add(author)
        session.add_all(Author(name=f"author {i}") for i in range(50))
        session.commit()
        assert author.id is not None and author.books[0].added is not None
        found = session.execute(
            sa.select(Author).options(orm.selectinload(Author.books)).where(Author.name == "Ada")
        ).scalar_one()
        assert [(b.title, b.price, b.colour, b.tags, b.details) for b in found.books] == [
            (f"Book {i}", decimal.Decimal("3.50") * i, Colour.red, ["a", "b"], {"n": i}) for i in range(3)
        ]
        joined = session.execute(
            sa.select(Author.name, sa.func.count(Book.id), sa.func.sum(Book.price))
            .join(Book, isouter=True).group_by(Author.name).order_by(sa.desc(sa.func.count(Book.id)), Author.name).limit(2)
        ).all()
        assert [tuple(row) for row in joined] == [("Ada", 3, decimal.Decimal("10.50")), ("author 0", 0, None)]
        eager = session.execute(sa.select(Book).options(orm.joinedload(Book.author)).where(Book.details["n"].as_integer() == 1))
        assert eager.scalar_one().author.name == "Ada"
        found.books[0].title = "changed"
        del found.books[2]
        session.flush()
        assert session.execute(sa.select(sa.func.count()).select_from(Book)).scalar() == 2
        session.rollback()
        assert session.execute(sa.select(sa.func.count()).select_from(Book)).scalar() == 3
        nested = session.begin_nested()
        session.add(Author(name="Ada"))
        error = cases.raises(sa.exc.IntegrityError, session.flush)
        assert error.orig.pgcode == "23505"
        nested.rollback()
        assert session.execute(sa.select(sa.func.count()).select_from(Author)).scalar() == 51
        session.delete(session.execute(sa.select(Author).filter_by(name="Ada")).scalar_one())
        session.commit()
        assert session.execute(sa.select(sa.func.count()).select_from(Book)).scalar() == 0
    made.dispose()


def test_reflection():
    made = fresh()
    inspector = sa.inspect(made)
    assert "sqlalchemy_cases" in inspector.get_schema_names()
    assert sorted(inspector.get_table_names("sqlalchemy_cases")) == ["author", "book"]
    columns = {c["name"]: c for c in inspector.get_columns("book", "sqlalchemy_cases")}
    assert isinstance(columns["price"]["type"], sa.Numeric) and columns["price"]["type"].scale == 2
    assert columns["title"]["comment"] == "as printed" and not columns["title"]["nullable"]
    assert columns["id"]["identity"]["start"] == 1, columns["id"]
    assert columns["colour"]["type"].enums == ["red", "green"]
    assert isinstance(columns["tags"]["type"], sa.ARRAY)
    assert columns["price"]["default"] == "'0'::numeric" or columns["price"]["default"] == "0", columns["price"]
    assert inspector.get_pk_constraint("book", "sqlalchemy_cases")["constrained_columns"] == ["id"]
    (foreign,) = inspector.get_foreign_keys("book", "sqlalchemy_cases")
    assert (foreign["constrained_columns"], foreign["referred_table"], foreign["options"]) == (
        ["author_id"], "author", {"ondelete": "CASCADE"}), foreign
    indexes = {i["name"]: i for i in inspector.get_indexes("book", "sqlalchemy_cases")}
    assert indexes["book_author_price"]["column_names"] == ["author_id", "price"]
    (unique,) = inspector.get_unique_constraints("author", "sqlalchemy_cases")
    assert unique["column_names"] == ["name"]
    (check,) = inspector.get_check_constraints("book", "sqlalchemy_cases")
    assert check["name"] == "price_not_negative" and "price >=" in check["sqltext"]
    assert inspector.get_table_comment("book", "sqlalchemy_cases")["text"] == "all books"
    assert {"red", "green"} in [set(e["labels"]) for e in inspector.get_enums("*")]  # (1.4 puts it into public)
    with made.begin() as connection:
        connection.execute(sa.text("create view sqlalchemy_cases.cheap as select id from sqlalchemy_cases.book where price < 5"))
    inspector = sa.inspect(made)
    assert inspector.get_view_names("sqlalchemy_cases") == ["cheap"]
    assert "price <" in inspector.get_view_definition("cheap", "sqlalchemy_cases")
    reflected = sa.MetaData()
    reflected.reflect(made, schema="sqlalchemy_cases")
    table = reflected.tables["sqlalchemy_cases.book"]
    assert [c.name for c in table.columns] == [c.name for c in Book.__table__.columns]
    assert [k.column.table.name for k in table.foreign_keys] == ["author"]
    made.dispose()


def test_core_inserts_and_upserts():
    from sqlalchemy.dialects.postgresql import insert

    made = fresh()
    authors = Author.__table__
    with made.begin() as connection:
        connection.execute(authors.insert(), [{"name": f"n{i}"} for i in range(2500)])
        assert connection.execute(sa.select(sa.func.count()).select_from(authors)).scalar() == 2500
        upsert = insert(authors).values([{"name": "n1", "born": datetime.date(2000, 1, 1)}, {"name": "new", "born": None}])
        upsert = upsert.on_conflict_do_update(index_elements=["name"], set_={"born": upsert.excluded.born})
        rows = connection.execute(upsert.returning(authors.c.id, authors.c.name)).all()
        assert sorted(row[1] for row in rows) == ["n1", "new"]
        result = connection.execute(authors.update().where(authors.c.name.like("n10%")).values(born=sa.func.current_date()))
        assert result.rowcount == 111, result.rowcount
        numbered = sa.select(authors.c.id, sa.func.row_number().over(order_by=authors.c.id.desc()).label("n")).subquery()
        assert connection.execute(sa.select(sa.func.max(numbered.c.n))).scalar() == 2501
        parts = sa.select(sa.literal(1).label("i")).cte("parts", recursive=True)
        parts = parts.union_all(sa.select(parts.c.i + 1).where(parts.c.i < 10))
        assert connection.execute(sa.select(sa.func.sum(parts.c.i))).scalar() == 55
    with made.connect().execution_options(stream_results=True) as connection:
        rows = connection.execute(sa.select(authors.c.id).order_by(authors.c.id)).yield_per(100)
        assert sum(1 for _ in rows) == 2501
    made.dispose()


def test_isolation_levels_and_pool():
    made = engine(pool_size=3, pool_pre_ping=True, isolation_level="REPEATABLE READ")
    with made.connect() as connection:
        assert connection.execute(sa.text("show transaction_isolation")).scalar() == "repeatable read"
    with made.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        assert connection.get_isolation_level() in ("AUTOCOMMIT", "READ COMMITTED")
        connection.execute(sa.text("vacuum"))
    made.dispose()


def test_drop_all():
    made = fresh()
    Base.metadata.drop_all(made)
    assert sa.inspect(made).get_table_names("sqlalchemy_cases") == []
    made.dispose()


if __name__ == "__main__":
    cases.main()
