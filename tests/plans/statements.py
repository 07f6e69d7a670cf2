"""Statements as clients write them, each with the most rows that its scans may touch: what it answers, or what it joins."""

TPCC_SCHEMA = """
DROP TABLE IF EXISTS stock, item, customer, new_order, orders, order_line;
CREATE TABLE item (i_id int PRIMARY KEY, i_price numeric(5,2), i_name varchar(24), i_data varchar(50));
CREATE TABLE stock (s_i_id int, s_w_id int, s_quantity int, s_dist_01 char(24), s_data varchar(50), PRIMARY KEY (s_w_id, s_i_id));
CREATE TABLE customer (c_id int, c_d_id int, c_w_id int, c_first varchar(16), c_last varchar(16), c_balance numeric(12,2),
  PRIMARY KEY (c_w_id, c_d_id, c_id));
CREATE INDEX idx_customer ON customer (c_w_id, c_d_id, c_last, c_first);
CREATE TABLE new_order (no_o_id int, no_d_id int, no_w_id int, PRIMARY KEY (no_w_id, no_d_id, no_o_id));
CREATE TABLE orders (o_id int, o_d_id int, o_w_id int, o_c_id int, o_carrier_id int, PRIMARY KEY (o_w_id, o_d_id, o_id));
CREATE INDEX idx_order ON orders (o_w_id, o_d_id, o_c_id, o_id);
CREATE TABLE order_line (ol_o_id int, ol_d_id int, ol_w_id int, ol_number int, ol_i_id int, ol_amount numeric(6,2),
  ol_delivery_d timestamp, PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number));
INSERT INTO item SELECT g, g % 100, 'name', 'data' FROM generate_series(1, 2000) g;
INSERT INTO stock SELECT i, w, 50, 'dist', 'data' FROM generate_series(1, 2) w, generate_series(1, 2000) i;
INSERT INTO customer SELECT c, d, w, 'first' || c, 'last' || c % 50, 0 FROM generate_series(1, 2) w, generate_series(1, 10) d, generate_series(1, 100) c;
INSERT INTO orders SELECT o, d, w, o, 1 FROM generate_series(1, 2) w, generate_series(1, 10) d, generate_series(1, 100) o;
INSERT INTO new_order SELECT o, d, w FROM generate_series(1, 2) w, generate_series(1, 10) d, generate_series(71, 100) o;
INSERT INTO order_line SELECT o, d, w, n, (o * 17 + n * 31) % 2000 + 1, 5, now() FROM generate_series(1, 2) w, generate_series(1, 10) d,
  generate_series(1, 100) o, generate_series(1, 5) n;
ANALYZE;
"""

# go-tpc's statements, with a transaction's values.
GO_TPC = (
    (3, "SELECT i_price, i_name, i_data, i_id FROM item WHERE i_id IN (17, 1200, 33)"),
    (4, "SELECT s_i_id, s_quantity, s_data, s_dist_01 FROM stock WHERE (s_w_id, s_i_id) IN ((1,5),(1,700),(2,9),(1,1800)) FOR UPDATE"),
    (15, "SELECT s_i_id FROM stock WHERE (s_w_id, s_i_id) IN ((1,1),(1,2),(1,3),(1,4),(1,5),(1,6),(1,7),(1,8),(1,9),(1,10),(1,11),"
         "(1,12),(1,13),(1,14),(2,15)) FOR UPDATE"),
    (10, "DELETE FROM new_order WHERE (no_w_id, no_d_id, no_o_id) IN ((1,1,71),(1,2,71),(1,3,71),(1,4,71),(1,5,71),(1,6,71),(1,7,71),"
         "(1,8,71),(1,9,71),(1,10,71))"),
    (10, "UPDATE orders SET o_carrier_id = 3 WHERE (o_w_id, o_d_id, o_id) IN ((1,1,71),(1,2,71),(1,3,71),(1,4,71),(1,5,71),(1,6,71),"
         "(1,7,71),(1,8,71),(1,9,71),(1,10,71))"),
    (50, "UPDATE order_line SET ol_delivery_d = now() WHERE (ol_w_id, ol_d_id, ol_o_id) IN ((1,1,71),(1,2,71),(1,3,71),(1,4,71),"
         "(1,5,71),(1,6,71),(1,7,71),(1,8,71),(1,9,71),(1,10,71))"),
    (15, "SELECT ol_d_id, SUM(ol_amount) FROM order_line WHERE (ol_w_id, ol_d_id, ol_o_id) IN ((1,1,71),(1,2,71),(1,3,71)) GROUP BY ol_d_id"),
    (2, "SELECT c_id FROM customer WHERE c_w_id = 1 AND c_d_id = 2 AND c_last = 'last7' ORDER BY c_first"),
    (1, "SELECT o_id, o_carrier_id FROM orders WHERE o_w_id = 1 AND o_d_id = 2 AND o_c_id = 5 ORDER BY o_id DESC LIMIT 1"),
    # The next page, as keyset pagination asks for it.
    (10, "SELECT o_w_id, o_d_id, o_id FROM orders WHERE (o_w_id, o_d_id, o_id) > (1, 2, 50) ORDER BY o_w_id, o_d_id, o_id LIMIT 10"),
    (10, "SELECT o_d_id, o_id FROM orders WHERE o_w_id = 1 AND (o_d_id, o_id) < (5, 50) ORDER BY o_d_id DESC, o_id DESC LIMIT 10"),
    # In the order of the key's first columns: one group of them is sorted.
    (250, "SELECT o_id FROM orders ORDER BY o_w_id, o_d_id, o_carrier_id, o_id LIMIT 5"),
    (300, "SELECT COUNT(DISTINCT s_i_id) FROM order_line, stock WHERE ol_w_id = 1 AND ol_d_id = 2 AND ol_o_id < 100 AND ol_o_id >= 80 "
          "AND s_w_id = 1 AND s_i_id = ol_i_id AND s_quantity < 60"),
)

JOIN_SCHEMA = """
DROP TABLE IF EXISTS part, line, facts, offer, sale, words, skewed, unknown;
CREATE TABLE part (p int PRIMARY KEY, brand int, size int, owner int);
CREATE TABLE line (l int PRIMARY KEY, p int, quantity int, mode int);
INSERT INTO part SELECT g, g % 25, g % 50, g % 7 FROM generate_series(1, 2000) g;
INSERT INTO line SELECT g, g * 7 % 2000 + 1, g % 50, g % 7 FROM generate_series(1, 20000) g;
CREATE TABLE offer (part int, seller int, price int, PRIMARY KEY (part, seller));
CREATE TABLE sale (id int PRIMARY KEY, part int, seller int);
INSERT INTO offer SELECT p, p * 7 % 1000 + s FROM generate_series(1, 2000) p, generate_series(0, 3) s;
INSERT INTO sale SELECT g, g % 2000 + 1, (g % 2000 + 1) * 7 % 1000 + g % 4 FROM generate_series(1, 20000) g;
ANALYZE;
CREATE TABLE words (id int PRIMARY KEY, word varchar(20), other varchar);
INSERT INTO words SELECT g, 'w' || g % 400, 'w' || g % 300 FROM generate_series(1, 1600) g;
CREATE TABLE skewed (id int PRIMARY KEY, few int, many int, word text, day date);
INSERT INTO skewed SELECT g, CASE WHEN g % 10 < 8 THEN 1 ELSE g % 1000 END, g, 'word' || g % 1000, date '2000-01-01' + g % 730
  FROM generate_series(1, 20000) g;
CREATE INDEX ON skewed (few);
ANALYZE words, skewed;
CREATE TABLE unknown (id int PRIMARY KEY, k int, v int);
INSERT INTO unknown SELECT g, g % 50, g FROM generate_series(1, 20000) g;
"""

# What TPC-H's and TPC-DS's slow queries are made of: every table is read once.
SHAPES = (
    # Q19: the join condition is in every alternative.
    (22200, "SELECT sum(quantity) FROM line, part WHERE (line.p = part.p AND brand = 3 AND quantity < 10 AND mode = 1) "
            "OR (line.p = part.p AND brand = 4 AND quantity BETWEEN 10 AND 20 AND mode = 1)"),
    # Q7: what each alternative says of one table.
    (44000, "SELECT count(*) FROM line, part a, part b WHERE line.p = a.p AND line.quantity = b.p "
            "AND ((a.brand = 3 AND b.brand = 4) OR (a.brand = 4 AND b.brand = 3))"),
    # Q17: an aggregate for each part, without an index on line's p.
    (43000, "SELECT sum(quantity) FROM line, part WHERE line.p = part.p AND brand = 3 "
            "AND quantity < (SELECT 0.2 * avg(quantity) FROM line l2 WHERE l2.p = part.p)"),
    # Q20: and with conditions of its own.
    (42100, "SELECT count(*) FROM part JOIN line o USING (p) WHERE brand = 3 "
            "AND size > (SELECT 0.5 * sum(quantity) FROM line WHERE line.p = part.p AND line.mode = part.owner AND line.quantity < 40)"),
    # TPC-DS Q10 and Q35: one EXISTS or the other.
    (42000, "SELECT count(*) FROM part WHERE EXISTS (SELECT 1 FROM line WHERE line.p = part.p AND mode = 1) "
            "OR EXISTS (SELECT 1 FROM line WHERE line.p = part.p AND mode = 2)"),
    # go-tpc's check of balances: aggregates in the targets of a merged subquery, one condition over both.
    (42000, "SELECT count(*) FROM (SELECT owner, (SELECT sum(quantity) FROM line WHERE line.p = part.p AND mode = 1) s, "
            "(SELECT count(*) FROM line l2 WHERE l2.p = part.p) n FROM part) t WHERE owner <> s - n"),
    (22000, "SELECT p, (SELECT coalesce(sum(quantity), 0) FROM line WHERE line.p = part.p) FROM part"),
    # A hash join whose left side turns out empty reads nothing of the right one, if that is not by far the cheaper one; a nested
    # loop whose right side does, little of the left one.
    (22000, "SELECT count(*) FROM unknown, part WHERE unknown.k = part.size AND v < 0"),
    (4000, "SELECT count(*) FROM line, part WHERE line.quantity < part.size AND part.brand = 99"),
    # Many rows ask an index with few values: what it answered is remembered.
    (24000, "SELECT count(*) FROM line WHERE quantity < (SELECT max(size) FROM part WHERE part.p = line.mode + 1 AND part.brand < 20)"),
    (24000, "SELECT count(*) FROM line WHERE EXISTS (SELECT 1 FROM part WHERE part.p = line.mode + 1 AND size > 3) OR l = 5"),
    # A list of varchar beside another condition is hashed, as one of text is.
    (3400, "SELECT count(*) FROM words WHERE word IN (SELECT other FROM words) OR id = 7"),
    # So is one of integers of another width.
    (3400, "SELECT count(*) FROM words WHERE id IN (SELECT id::bigint * 2 FROM words) OR word = 'w7'"),
    # A WITH query is not computed to see whether it is empty, when nothing asks for it.
    (22000, "WITH pairs AS MATERIALIZED (SELECT a.p FROM line a JOIN line b ON a.l = b.l) SELECT count(*) FROM line "
            "WHERE quantity = 999 AND p IN (SELECT p FROM pairs)"),
    # Nor when the first row of the other side costs more than the scan of what it has not computed.
    (24000, "WITH pairs AS MATERIALIZED (SELECT a.p FROM line a JOIN line b ON a.l = b.l) SELECT count(*) FROM line "
            "JOIN part ON line.p = part.p WHERE part.size = 999 AND line.p IN (SELECT p FROM pairs)"),
    # ANY that refers to what is around it is a join.
    (42000, "SELECT count(*) FROM line WHERE l = ANY (SELECT o.l FROM line o WHERE o.p = line.p AND o.mode = line.mode)"),
    # CH-benCHmark's Q5: a merge join by the first column of a key would compare all pairs.
    (130000, "SELECT count(*) FROM orders, order_line, stock WHERE ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id "
             "AND ol_w_id = s_w_id AND ol_i_id = s_i_id"),
    # One row of the outer table: no other group.
    (20100, "SELECT p, (SELECT count(*) FROM line WHERE line.p = part.p) FROM part WHERE p = 7"),
)

# How many rows are estimated: at least, at most.
ESTIMATES = (
    # TPC-H's Q9, TPC-DS's Q24: two columns that refer to a key of two columns.
    (15000, 25000, "SELECT * FROM sale JOIN offer USING (part, seller)"),
    (15000, 25000, "SELECT * FROM sale JOIN offer USING (part, seller) JOIN part p ON p.p = sale.part"),
    # What is computed of a column, from a sample of its values.
    (1000, 3000, "SELECT * FROM skewed WHERE word LIKE '%d99%' OR word LIKE '%5'"),
    (1, 60, "SELECT * FROM skewed WHERE word LIKE '%xyz%'"),
    (1000, 2500, "SELECT * FROM skewed WHERE extract(month FROM day) = 3"),
    (5000, 15000, "SELECT * FROM skewed WHERE id % 2 = 0"),
    (6000, 16000, "SELECT * FROM skewed WHERE substring(word, 5, 1) IN ('1', '2', '3', '4')"),
    # Through an index of the referring column, before the other table's size is known.
    (15000, 25000, "SELECT * FROM skewed a JOIN skewed b ON b.id = a.few"),
    # A common value on both sides of a join.
    (200000000, 300000000, "SELECT * FROM skewed a JOIN skewed b ON a.few = b.few"),
    # Columns of one table have no more combinations than it has rows.
    (1, 2000, "SELECT few, word, day FROM skewed GROUP BY few, word, day"),
    # What a subquery's columns are grouped by.
    (150, 250, "SELECT * FROM (SELECT few, count(*) FROM skewed GROUP BY few) s JOIN line ON line.l = s.few"),
    (1, 20, "SELECT few FROM skewed GROUP BY few HAVING min(word) = 'word7'"),
)

GROUPS = (("go-tpc", TPCC_SCHEMA, GO_TPC), ("joins and subqueries", JOIN_SCHEMA, SHAPES))
