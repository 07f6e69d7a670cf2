"""Statements as object-relational mappers and other benchmarks send them; see statements.py."""

CLIENT_SCHEMA = """
DROP TABLE IF EXISTS membership, comment, post_tag, tag, post, author, history, usertable;
CREATE TABLE author (id bigserial PRIMARY KEY, email varchar(254) NOT NULL UNIQUE, name text, team_id int, deleted_at timestamptz);
CREATE TABLE post (id bigserial PRIMARY KEY, author_id bigint NOT NULL REFERENCES author (id), slug varchar(80) NOT NULL, title text,
  published boolean NOT NULL DEFAULT false, created_at timestamptz NOT NULL, views int NOT NULL DEFAULT 0);
CREATE INDEX post_author_id ON post (author_id);
CREATE UNIQUE INDEX post_slug ON post (slug);
CREATE INDEX post_created ON post (created_at DESC, id DESC);
CREATE INDEX post_published ON post (created_at) WHERE published;
CREATE TABLE tag (id serial PRIMARY KEY, name text NOT NULL UNIQUE);
CREATE TABLE post_tag (post_id bigint REFERENCES post (id) ON DELETE CASCADE, tag_id int REFERENCES tag (id), PRIMARY KEY (post_id, tag_id));
CREATE INDEX post_tag_tag ON post_tag (tag_id);
CREATE TABLE comment (id bigserial PRIMARY KEY, content_type_id int NOT NULL, object_id bigint NOT NULL, author_id bigint, body text);
CREATE INDEX comment_object ON comment (content_type_id, object_id);
CREATE TABLE usertable (ycsb_key varchar(255) PRIMARY KEY, field0 text, field1 text);
INSERT INTO author (email, name, team_id, deleted_at) SELECT 'User' || g || '@example.com', 'name ' || g, g % 40, CASE WHEN g % 10 = 0 THEN now() END
  FROM generate_series(1, 2000) g;
CREATE INDEX author_lower_email ON author (lower(email));
INSERT INTO post (author_id, slug, title, published, created_at, views) SELECT g % 2000 + 1, 'post-' || g, 'title ' || g, g % 20 = 0,
  '2024-01-01'::timestamptz + g * interval '1 minute', g % 100 FROM generate_series(1, 20000) g;
INSERT INTO tag (name) SELECT 'tag ' || g FROM generate_series(1, 200) g;
INSERT INTO post_tag SELECT g, g % 200 + 1 FROM generate_series(1, 20000) g;
INSERT INTO comment (content_type_id, object_id, author_id, body) SELECT g % 3, g / 3, g % 2000 + 1, 'body' FROM generate_series(1, 20000) g;
INSERT INTO usertable SELECT 'user' || lpad(g::text, 10, '0'), 'f', 'g' FROM generate_series(1, 5000) g;
ANALYZE;
"""

# As Django, Hibernate, ActiveRecord, Prisma, HammerDB and BenchBase write them.
CLIENTS = (
    # Django: get(), exists(), select_related, prefetch_related, values with count, in_bulk, iexact, delete's collector.
    (1, 'SELECT "author"."id", "author"."email" FROM "author" WHERE "author"."email" = \'User77@example.com\' LIMIT 21'),
    (1, 'SELECT 1 AS "a" FROM "post" WHERE ("post"."author_id" = 7 AND "post"."slug" = \'post-6\') LIMIT 1'),
    (20, 'SELECT "post"."id", "author"."name" FROM "post" INNER JOIN "author" ON ("post"."author_id" = "author"."id") '
         'WHERE "post"."author_id" = 9 ORDER BY "post"."id" ASC'),
    (15, 'SELECT ("post_tag"."post_id") AS "_prefetch_related_val_post_id", "tag"."id", "tag"."name" FROM "tag" INNER JOIN "post_tag" '
         'ON ("tag"."id" = "post_tag"."tag_id") WHERE "post_tag"."post_id" IN (1, 2, 3, 4, 5)'),
    (40, 'SELECT "author"."id", COUNT("post"."id") AS "n" FROM "author" LEFT OUTER JOIN "post" ON ("author"."id" = "post"."author_id") '
         'WHERE "author"."id" IN (1, 2, 3) GROUP BY "author"."id" ORDER BY "n" DESC'),
    (1, 'SELECT "author"."id" FROM "author" WHERE lower("author"."email") = lower(\'USER5@example.com\')'),
    (6, 'SELECT "comment"."id" FROM "comment" WHERE ("comment"."content_type_id" = 1 AND "comment"."object_id" IN (10, 11, 12)) '),
    (6, 'DELETE FROM "comment" WHERE "comment"."id" IN (SELECT U0."id" FROM "comment" U0 WHERE (U0."content_type_id" = 1 AND U0."object_id" = 50))'),
    (21, 'SELECT "post"."id" FROM "post" WHERE NOT ("post"."id" = 5) ORDER BY "post"."id" DESC LIMIT 20'),
    (30, 'SELECT "post"."id" FROM "post" WHERE EXISTS(SELECT 1 AS "a" FROM "post_tag" U0 WHERE (U0."post_id" = "post"."id" AND U0."tag_id" = 3) '
         'LIMIT 1) AND "post"."id" <= 10'),
    # Hibernate: entity with joins, paging by row numbers, exists, bulk update, sequences of ids.
    (12, "select p1_0.id,p1_0.title,a1_0.id,a1_0.name from post p1_0 left join author a1_0 on a1_0.id=p1_0.author_id where p1_0.id in (1,2,3,4,5,6)"),
    (20, "select p1_0.id from post p1_0 order by p1_0.created_at desc,p1_0.id desc offset 0 rows fetch first 20 rows only"),
    (1, "update post set title='x',views=5 where id=17"),
    (2, "select a1_0.id from author a1_0 where a1_0.email='User8@example.com' and a1_0.deleted_at is null fetch first 2 rows only"),
    (20, "select count(p1_0.id) from post p1_0 where p1_0.author_id=4 and p1_0.views>=0"),
    # ActiveRecord: find_by, includes, exists?, in batches, polymorphic associations, scopes over a partial index.
    (1, 'SELECT "post".* FROM "post" WHERE "post"."slug" = \'post-12\' LIMIT 1'),
    (1000, 'SELECT "post".* FROM "post" WHERE "post"."id" > 5000 ORDER BY "post"."id" ASC LIMIT 1000'),
    (3, 'SELECT "comment".* FROM "comment" WHERE "comment"."content_type_id" = 2 AND "comment"."object_id" = 4'),
    (10, 'SELECT "post".* FROM "post" WHERE "post"."published" = TRUE ORDER BY "post"."created_at" DESC LIMIT 10'),
    (1, 'SELECT 1 AS one FROM "author" WHERE "author"."email" = \'User3@example.com\' AND "author"."id" != 4 LIMIT 1'),
    (30, 'SELECT DISTINCT "tag".* FROM "tag" INNER JOIN "post_tag" ON "post_tag"."tag_id" = "tag"."id" INNER JOIN "post" ON "post"."id" = '
         '"post_tag"."post_id" WHERE "post"."author_id" = 3'),
    # Prisma: everything by IN and OFFSET, relations by lateral joins to JSON.
    (3, 'SELECT "public"."post"."id" FROM "public"."post" WHERE "public"."post"."id" IN (10,20,30) OFFSET 0'),
    (10, 'SELECT "post"."id" FROM "post" WHERE "post"."author_id" IN (6) OFFSET 0'),
    (12, 'SELECT "t1"."id", "p"."__prisma_data__" FROM "author" AS "t1" LEFT JOIN LATERAL (SELECT COALESCE(JSONB_AGG("d"), \'[]\') AS '
         '"__prisma_data__" FROM (SELECT JSONB_BUILD_OBJECT(\'id\', "t3"."id") AS "d" FROM (SELECT "t2".* FROM "post" AS "t2" WHERE "t1"."id" = '
         '"t2"."author_id") AS "t3") AS "t4") AS "p" ON TRUE WHERE "t1"."id" = 5 LIMIT 1'),
    # Prisma's pages: what comes behind a row that is looked up, by one column and by two, in both directions.
    (11, 'SELECT "public"."post"."id" FROM "public"."post", (SELECT "public"."post"."created_at" AS "post_created_at_0" FROM "public"."post" '
         'WHERE ("public"."post"."id") = (5000)) AS "order_cmp" WHERE "public"."post"."created_at" <= "order_cmp"."post_created_at_0" '
         'ORDER BY "public"."post"."created_at" DESC LIMIT 10 OFFSET 0'),
    (11, 'SELECT "post"."id" FROM "post", (SELECT "post"."created_at" AS "c", "post"."id" AS "i" FROM "post" WHERE "post"."id" = 5000) AS "o" '
         'WHERE ("post"."created_at", "post"."id") <= ("o"."c", "o"."i") ORDER BY "post"."created_at" DESC, "post"."id" DESC LIMIT 10'),
    (11, 'SELECT "post"."id" FROM "post", (SELECT "post"."created_at" AS "c", "post"."id" AS "i" FROM "post" WHERE "post"."id" = 5000) AS "o" '
         'WHERE ("post"."created_at" > "o"."c" OR ("post"."created_at" = "o"."c" AND "post"."id" >= "o"."i")) '
         'ORDER BY "post"."created_at" ASC, "post"."id" ASC LIMIT 10'),
    (1, 'INSERT INTO "tag" ("name") VALUES (\'tag 5\') ON CONFLICT ("name") DO UPDATE SET "name" = EXCLUDED."name" RETURNING "id"'),
    # HammerDB and BenchBase: oldest new order, by = ANY of arrays, YCSB's ranges, min instead of LIMIT.
    (1, "SELECT MIN(id) FROM post WHERE author_id = 77"),
    (3, "UPDATE post SET views = views + 1 WHERE id = ANY ('{5,6,7}'::bigint[])"),
    (10, "SELECT field0 FROM usertable WHERE ycsb_key >= 'user0000000100' ORDER BY ycsb_key LIMIT 10"),
    (9, "SELECT field0 FROM usertable WHERE ycsb_key > 'user0000000100' AND ycsb_key < 'user0000000110'"),
    (3, "SELECT p.id FROM post p JOIN unnest('{5,6,7}'::bigint[]) AS ids (id) ON p.id = ids.id"),
    (3, "UPDATE post SET title = v.title FROM (VALUES (1::bigint, 'a'), (2, 'b'), (3, 'c')) AS v (id, title) WHERE post.id = v.id"),
)

GROUP = ("clients", CLIENT_SCHEMA, CLIENTS)
