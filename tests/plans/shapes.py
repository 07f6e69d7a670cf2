"""Shapes of statements that read far too much before they were met; see statements.py."""

SCHEMA = """
DROP TABLE IF EXISTS sold, day, thing, reading, happened, nothing CASCADE;
-- A star: days of two hundred years, sales of a few of them, things.
CREATE TABLE day (d int PRIMARY KEY, of date NOT NULL);
INSERT INTO day SELECT g, date '1900-01-01' + g FROM generate_series(1, 20000) g;
CREATE TABLE thing (i int PRIMARY KEY, price int, maker int);
INSERT INTO thing SELECT g, g % 100, g % 300 FROM generate_series(1, 900) g;
CREATE TABLE sold (d int, i int, quantity int, PRIMARY KEY (d, i));
INSERT INTO sold SELECT 10000 + g % 20 * 7, 1 + g / 20, g % 50 FROM generate_series(0, 17999) g;
CREATE TABLE reading (device int, at timestamp, value int);
INSERT INTO reading SELECT g % 20, timestamp '2024-01-01' + g * interval '1 minute', g % 100 FROM generate_series(1, 20000) g;
CREATE INDEX ON reading (device, at);
CREATE INDEX ON reading (at);
CREATE TABLE happened (id int, at date, kind int, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
DO $$ BEGIN FOR m IN 1..12 LOOP
  EXECUTE format('CREATE TABLE happened_%s PARTITION OF happened FOR VALUES FROM (%L) TO (%L)', m, make_date(2024, m, 1),
    make_date(2024, m, 1) + interval '1 month');
END LOOP; END $$;
INSERT INTO happened SELECT g, date '2024-01-01' + g % 366, g % 7 FROM generate_series(1, 20000) g;
CREATE INDEX ON happened (at);
CREATE TABLE nothing (i int, j int);
ANALYZE;
"""

CASES = (
    # TPC-DS Q37: two dimensions that only together give the key of the facts; one of them has nothing.
    (900, "SELECT thing.i FROM thing, sold, day WHERE sold.i = thing.i AND day.d = sold.d AND of BETWEEN '1927-05-20' AND '1927-07-20' "
          "AND price BETWEEN 20 AND 30 AND maker IN (270, 271, 272) AND quantity < 30"),
    # TPC-H Q15: the one row of an aggregate needs all groups of what it is over.
    (20000, "SELECT count(*) FROM day WHERE d = (SELECT max(s) FROM (SELECT device, sum(value) s FROM reading "
            "WHERE at < '2024-01-02' GROUP BY device) g)"),
    # Ranges between columns of two tables, or of one.
    (30000, "SELECT count(*) FROM day JOIN reading ON at BETWEEN of + interval '45000 days' AND of + interval '45000 days 1 hour' WHERE d < 400"),
    (4200, "SELECT count(*) FROM reading a JOIN reading b ON a.device = b.device AND b.at > a.at AND b.at <= a.at + interval '40 minutes' "
           "WHERE a.device = 7"),
    # What an outer join equates with a constant is known of its other side, and inside of a subquery there.
    (2100, "SELECT count(*), sum(n) FROM reading a LEFT JOIN (SELECT device, count(*) n FROM reading GROUP BY device) g USING (device) "
           "WHERE a.device = 7"),
    # A side that is dear as a whole, but ends at once at something small that is empty, is read before one that has no first row.
    (0, "SELECT count(*) FROM sold, (SELECT device, count(*) n FROM reading GROUP BY device) g, nothing WHERE g.device = nothing.i "
        "AND sold.quantity = g.n AND sold.quantity + sold.i = 17 * sold.d"),
    # A window that may stop, rows that are remembered by the values that they depend on, and a first row that decides.
    (100, "SELECT * FROM (SELECT at, value, row_number() OVER (ORDER BY at) rn FROM reading) x WHERE rn <= 10"),
    (100, "SELECT * FROM (SELECT at, value, rank() OVER (ORDER BY at) r FROM reading) x WHERE r = 3"),
    # A window of which a few rows are asked for.
    (100, "SELECT at, value, row_number() OVER (ORDER BY at), sum(value) OVER (ORDER BY at) FROM reading LIMIT 10"),
    (100, "SELECT at, lag(value) OVER (ORDER BY at), count(*) OVER (ORDER BY at) FROM reading ORDER BY at OFFSET 20 LIMIT 10"),
    (115000, "SELECT sum(n) FROM reading a, LATERAL (SELECT count(*) n FROM thing WHERE maker > a.value AND price < a.value) x"),
    (250000, "SELECT count(*) FROM reading a WHERE EXISTS (SELECT FROM reading b WHERE b.device = a.device AND b.value <> a.value)"),
    # Partitions by range are in order one after the other.
    (10, "SELECT * FROM happened ORDER BY at DESC LIMIT 10"),
    (10, "SELECT * FROM happened WHERE at >= '2024-05-10' ORDER BY at LIMIT 10"),
    (2, "SELECT min(at), max(at) FROM happened"),
    (1, "SELECT max(at) FROM happened WHERE at < '2024-03-05'"),
)

# Least and most rows expected, and the query.
ESTIMATES = (
    # A table of partitions has its partitions' statistics.
    (350, 450, "SELECT * FROM happened WHERE at >= '2024-02-01' AND at < '2024-02-08'"),
    (2300, 3400, "SELECT * FROM happened WHERE kind = 3"),
    # The part of pairs that a band holds for.
    (8000, 12000, "SELECT * FROM reading a JOIN reading b ON b.at > a.at AND b.at <= a.at + interval '10 minutes' WHERE a.device = 7"),
)

# What the entries of an index answer, without the rows.
ENTRIES = (
    "SELECT count(*) FROM reading WHERE at < '2024-01-02'",
    "SELECT min(device), max(device), count(*) FROM reading WHERE device BETWEEN 3 AND 5",
    "SELECT device, count(*), max(at) FROM reading WHERE device < 4 GROUP BY device",
    "SELECT count(*) FROM reading WHERE device = ANY (ARRAY[1, 5, 7])",
    "SELECT d, count(*) FROM (VALUES (1), (2)) v (d) JOIN reading ON device = d GROUP BY d",
    "SELECT at FROM happened WHERE at BETWEEN '2024-03-01' AND '2024-03-02' ORDER BY at",
)

GROUP = ("shapes", SCHEMA, CASES)
