-- Contexts of notices and errors, with every caller.
\set SHOW_CONTEXT always
-- contexts of notices go through every caller, as those of errors
CREATE TABLE nt (id int PRIMARY KEY, a int, b varchar(10) UNIQUE);
CREATE TABLE nc (id int PRIMARY KEY, a int REFERENCES nt ON DELETE SET NULL ON UPDATE CASCADE, b varchar REFERENCES nt (b) ON DELETE CASCADE ON UPDATE CASCADE);
INSERT INTO nt VALUES (1, 1, 'x'), (2, 2, 'y'), (3, 3, 'z');
INSERT INTO nc VALUES (10, 1, 'y'), (11, 2, NULL);
CREATE FUNCTION inner_f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'here'; RETURN 1; END $$;
CREATE FUNCTION outer_f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN DROP TABLE IF EXISTS not_there; RETURN inner_f() + (SELECT inner_f()); END $$;
CREATE FUNCTION sql_f() RETURNS int LANGUAGE sql AS $$ SELECT outer_f(); SELECT 2 $$;
SELECT sql_f();
DO $$ BEGIN RAISE NOTICE ''; RAISE NOTICE '' USING HINT = 'h'; END $$;
DO $$ BEGIN RAISE EXCEPTION ''; END $$;
-- what foreign keys do has a context of its own in BEFORE triggers and errors
CREATE FUNCTION told() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '% % %', TG_WHEN, TG_LEVEL, TG_OP; IF TG_LEVEL = 'ROW' THEN RETURN coalesce(NEW, OLD); END IF; RETURN NULL; END $$;
CREATE TRIGGER b BEFORE UPDATE OR DELETE ON nc FOR EACH ROW EXECUTE FUNCTION told();
CREATE TRIGGER a AFTER UPDATE OR DELETE ON nc FOR EACH ROW EXECUTE FUNCTION told();
CREATE TRIGGER s BEFORE UPDATE OR DELETE ON nc EXECUTE FUNCTION told();
CREATE TRIGGER t AFTER UPDATE OR DELETE ON nc EXECUTE FUNCTION told();
-- statement triggers fire although no row references it
DELETE FROM nt WHERE id = 3;
UPDATE nt SET id = 20 WHERE id = 2;
UPDATE nt SET b = 'q' WHERE id = 20;
UPDATE nc SET b = NULL;
DELETE FROM nt WHERE id = 20;
INSERT INTO nc VALUES (12, 1, NULL);
ALTER TABLE nc ALTER a SET NOT NULL;
DELETE FROM nt WHERE id = 1;
ALTER TABLE nc ADD CHECK (a < 50);
UPDATE nt SET id = 60 WHERE id = 1;
-- arguments of cursors in contexts
DO $$ DECLARE c CURSOR (k int) FOR SELECT k; r record; BEGIN SELECT 0 AS a INTO r; OPEN c((SELECT 1 / r.a)); END $$;
DO $$ DECLARE c CURSOR (k int) FOR SELECT k; r record; BEGIN SELECT 0 AS a INTO r; OPEN c(k := (SELECT 1 / r.a)); END $$;
-- contexts of assignments; DO checks all expressions first
DO $$ DECLARE r record; n int; BEGIN SELECT 1 AS a INTO r; n = (SELECT r.id FROM nt LIMIT 1); END $$;
DO $$ DECLARE n int; BEGIN n   :=  1 + (SELECT count(*) / 0 FROM nt); END $$;
DO $$ DECLARE n int; BEGIN n   :=  1 + (SELECT nosuch FROM nt); END $$;
DO $$ DECLARE n int[]; BEGIN n[1] := (SELECT 1 / 0); END $$;
CREATE FUNCTION bad() RETURNS int LANGUAGE plpgsql AS $$ DECLARE n int; BEGIN n := 1 +; RETURN n; END $$;
DO $$ DECLARE n int; BEGIN RAISE NOTICE 'not reached'; n := 1 +; END $$;
