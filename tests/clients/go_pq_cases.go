// lib/pq with database/sql: values, prepared statements, transactions, COPY, errors, pools, cancel, notices, LISTEN's refusal.
// Run as a source file: GO111MODULE=off GOPATH=/usr/share/gocode go run go_pq_cases.go
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/lib/pq"
)

func check(condition bool, what ...interface{}) {
	if !condition {
		panic(fmt.Sprint(what...))
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func failsWith(code string, err error) *pq.Error {
	var failure *pq.Error
	check(errors.As(err, &failure), "no error ", code, " but ", err)
	check(string(failure.Code) == code, failure.Code, ": ", failure.Message)
	return failure
}

func source(more string) string {
	return fmt.Sprintf("host=%s port=%s user=postgres dbname=postgres sslmode=disable %s", os.Getenv("PGHOST"), os.Getenv("PGPORT"), more)
}

func execute(db *sql.DB, statements ...string) {
	for _, text := range statements {
		_, err := db.Exec(text)
		must(err)
	}
}

func values(db *sql.DB) {
	when := time.Date(2024, 2, 29, 1, 2, 3, 456789000, time.UTC)
	var i int64
	var f float64
	var s string
	var b bool
	var t time.Time
	var raw []byte
	var null sql.NullString
	var numbers pq.Int64Array
	var words pq.StringArray
	row := db.QueryRow("select $1::int8, $2::float8, $3::text, $4::bool, $5::timestamptz, $6::bytea, $7::text, $8::int8[], $9::text[]",
		int64(1)<<40, 1.5, "it's \\ é", true, when, []byte{0, 255, 'a'}, nil, pq.Array([]int64{1, 2}), pq.Array([]string{"a,b", "\"c\""}))
	must(row.Scan(&i, &f, &s, &b, &t, &raw, &null, &numbers, &words))
	check(i == 1<<40 && f == 1.5 && s == "it's \\ é" && b && t.Equal(when), i, f, s, b, t)
	check(string(raw) == "\x00\xffa" && !null.Valid, raw, null)
	check(len(numbers) == 2 && numbers[1] == 2 && words[0] == "a,b" && words[1] == "\"c\"", numbers, words)
	must(db.QueryRow("select '123.4500'::numeric").Scan(&s))
	check(s == "123.4500", s)
}

func prepared(db *sql.DB) {
	execute(db, "create table t (id int primary key, v text)")
	insert, err := db.Prepare("insert into t values ($1, $2)")
	must(err)
	for n := 0; n < 20; n++ {
		result, err := insert.Exec(n, fmt.Sprint("v", n))
		must(err)
		affected, _ := result.RowsAffected()
		check(affected == 1, affected)
	}
	must(insert.Close())
	rows, err := db.Query("select id, v from t where id >= $1 order by id", 15)
	must(err)
	names, _ := rows.Columns()
	types, _ := rows.ColumnTypes()
	check(names[1] == "v" && types[0].DatabaseTypeName() == "INT4", names)
	n := 15
	for ; rows.Next(); n++ {
		var id int
		var v string
		must(rows.Scan(&id, &v))
		check(id == n && v == fmt.Sprint("v", n), id, v)
	}
	must(rows.Err())
	check(n == 20, n)
	var none int
	check(db.QueryRow("select id from t where id = -1").Scan(&none) == sql.ErrNoRows, none)
}

func transactions(db *sql.DB) {
	execute(db, "create table t (a int primary key)")
	tx, err := db.BeginTx(context.Background(), &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	must(err)
	_, err = tx.Exec("insert into t values (1)")
	must(err)
	must(tx.Rollback())
	tx, err = db.Begin()
	must(err)
	_, err = tx.Exec("insert into t values (1)")
	must(err)
	_, err = tx.Exec("savepoint s")
	must(err)
	_, err = tx.Exec("insert into t values (1)")
	failsWith("23505", err)
	_, err = tx.Exec("select 1")
	failsWith("25P02", err)
	_, err = tx.Exec("rollback to s")
	must(err)
	must(tx.Commit())
	tx, err = db.BeginTx(context.Background(), &sql.TxOptions{ReadOnly: true})
	must(err)
	_, err = tx.Exec("insert into t values (2)")
	failsWith("25006", err)
	must(tx.Rollback())
	var count int
	must(db.QueryRow("select count(*) from t").Scan(&count))
	check(count == 1, count)
}

func copyIn(db *sql.DB) {
	execute(db, "create table t (a int, b text)")
	tx, err := db.Begin()
	must(err)
	statement, err := tx.Prepare(pq.CopyIn("t", "a", "b"))
	must(err)
	for n := 0; n < 5000; n++ {
		_, err = statement.Exec(n, "tab\t and \\ and\nline")
		must(err)
	}
	_, err = statement.Exec()
	must(err)
	must(statement.Close())
	must(tx.Commit())
	var count int
	must(db.QueryRow("select count(*) from t where b = E'tab\\t and \\\\ and\\nline'").Scan(&count))
	check(count == 5000, count)
	tx, err = db.Begin()
	must(err)
	statement, err = tx.Prepare(pq.CopyIn("t", "a", "b"))
	must(err)
	_, err = statement.Exec("not a number", "x")
	must(err)
	_, err = statement.Exec()
	failsWith("22P02", err)
	must(tx.Rollback())
}

func errorFields(db *sql.DB) {
	execute(db, "create table t (a int primary key, b int constraint positive check (b > 0))", "insert into t values (1, 1)")
	_, err := db.Exec("insert into t values (1, 1)")
	failure := failsWith("23505", err)
	check(failure.Constraint == "t_pkey" && failure.Table == "t" && failure.Detail == "Key (a)=(1) already exists.", failure)
	_, err = db.Exec("insert into t values (2, $1)", -1)
	check(failsWith("23514", err).Constraint == "positive", err)
	_, err = db.Exec("select nothing")
	check(failsWith("42703", err).Position == "8", err)
	_, err = db.Exec("select 1 / $1::int", 0)
	failsWith("22012", err)
}

func pool(db *sql.DB) {
	execute(db, "create table t (a int primary key, n int)", "insert into t values (1, 0)")
	db.SetMaxOpenConns(8)
	var wait sync.WaitGroup
	for w := 0; w < 16; w++ {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for n := 0; n < 25; n++ {
				_, err := db.Exec("update t set n = n + $1 where a = $2", 1, 1)
				must(err)
			}
		}()
	}
	wait.Wait()
	var n int
	must(db.QueryRow("select n from t").Scan(&n))
	check(n == 400, n)
}

func cancel(db *sql.DB) {
	ctx, stop := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer stop()
	_, err := db.ExecContext(ctx, "select pg_sleep(60)")
	check(err != nil && ctx.Err() != nil, err)
	_, err = db.Exec("set statement_timeout = 30; select pg_sleep(60)") // on a connection of its own
	failsWith("57014", err)
}

func notices(*sql.DB) {
	connector, err := pq.NewConnector(source(""))
	must(err)
	var heard []string
	db := sql.OpenDB(pq.ConnectorWithNoticeHandler(connector, func(notice *pq.Error) { heard = append(heard, notice.Message) }))
	defer db.Close()
	execute(db, "drop table if exists there_is_none")
	check(len(heard) == 1 && heard[0] == `table "there_is_none" does not exist, skipping`, heard)
	_, err = db.Exec("listen channel")
	failsWith("0A000", err)
	must(db.Ping())
}

func main() {
	cases := []struct {
		name string
		run  func(*sql.DB)
	}{
		{"values", values}, {"prepared", prepared}, {"transactions", transactions}, {"copyIn", copyIn},
		{"errorFields", errorFields}, {"pool", pool}, {"cancel", cancel}, {"notices", notices},
	}
	failed := 0
	for _, c := range cases {
		func() {
			admin, err := sql.Open("postgres", source(""))
			must(err)
			schema := "go_pq_" + c.name
			execute(admin, "drop schema if exists "+schema+" cascade", "create schema "+schema)
			must(admin.Close())
			db, err := sql.Open("postgres", source("search_path="+schema))
			must(err)
			defer db.Close()
			defer func() {
				if problem := recover(); problem != nil {
					failed++
					fmt.Println("FAILED", c.name, problem)
				}
			}()
			c.run(db)
		}()
	}
	fmt.Printf("%d passed, %d failed\n", len(cases)-failed, failed)
	if failed > 0 {
		os.Exit(1)
	}
}
