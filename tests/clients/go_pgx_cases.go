// pgx (Debian has version 4): extended protocol in binary with cached statements, batches, COPY, enums and
// arrays of them, pools, cancel, notices, LISTEN's refusal; once more in simple protocol.
// Run as a source file: GO111MODULE=off GOPATH=/usr/share/gocode go run go_pgx_cases.go
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgconn"
	"github.com/jackc/pgtype"
	"github.com/jackc/pgx/v4"
	"github.com/jackc/pgx/v4/pgxpool"
)

var background = context.Background()

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

func failsWith(code string, err error) *pgconn.PgError {
	var failure *pgconn.PgError
	check(errors.As(err, &failure), "no error ", code, " but ", err)
	check(failure.Code == code, failure.Code, ": ", failure.Message)
	return failure
}

func source(more string) string {
	return fmt.Sprintf("host=%s port=%s user=postgres dbname=postgres sslmode=disable %s", os.Getenv("PGHOST"), os.Getenv("PGPORT"), more)
}

func execute(c *pgx.Conn, statements ...string) {
	for _, text := range statements {
		_, err := c.Exec(background, text)
		must(err)
	}
}

func values(c *pgx.Conn) {
	when := time.Date(2024, 2, 29, 1, 2, 3, 456789000, time.UTC)
	var (
		small  int16
		big    int64
		f      float32
		text   string
		truth  bool
		stamp  time.Time
		day    time.Time
		raw    []byte
		null   *string
		list   []int32
		words  []string
		number pgtype.Numeric
		uuid   pgtype.UUID
		object map[string]interface{}
		span   time.Duration
	)
	row := c.QueryRow(background, `select $1::int2, $2::int8, $3::float4, $4::text, $5::bool, $6::timestamptz, $7::date, $8::bytea,
		$9::text, $10::int4[], $11::text[], $12::numeric, $13::uuid, $14::jsonb, $15::interval`,
		int16(-3), int64(1)<<40, float32(2.5), "it's é", true, when, when, []byte{0, 255}, nil, []int32{1, 2}, []string{"a", "b,c"},
		"12345.678900", "12345678-1234-5678-1234-567812345678", map[string]interface{}{"a": []int{1, 2}}, 90*time.Second)
	must(row.Scan(&small, &big, &f, &text, &truth, &stamp, &day, &raw, &null, &list, &words, &number, &uuid, &object, &span))
	check(small == -3 && big == 1<<40 && f == 2.5 && text == "it's é" && truth, small, big, f, text, truth)
	check(stamp.Equal(when) && day.Format("2006-01-02") == "2024-02-29" && span == 90*time.Second, stamp, day, span)
	check(bytes.Equal(raw, []byte{0, 255}) && null == nil && len(list) == 2 && words[1] == "b,c", raw, null, list, words)
	check(number.Int.String() == "12345678900" && number.Exp == -6, number.Int, number.Exp)
	check(uuid.Bytes[0] == 0x12 && len(object["a"].([]interface{})) == 2, uuid, object)
}

func statements(c *pgx.Conn) {
	execute(c, "create table t (id int generated always as identity primary key, v text not null)")
	for n := 0; n < 10; n++ {
		var id int
		must(c.QueryRow(background, "insert into t (v) values ($1) returning id", fmt.Sprint("v", n)).Scan(&id))
		check(id == n+1, id)
	}
	_, err := c.Prepare(background, "by_id", "select v from t where id = $1")
	must(err)
	var v string
	must(c.QueryRow(background, "by_id", 3).Scan(&v))
	check(v == "v2", v)
	must(c.Deallocate(background, "by_id"))
	rows, err := c.Query(background, "select * from t order by id")
	must(err)
	check(string(rows.FieldDescriptions()[1].Name) == "v", "columns")
	count := 0
	for ; rows.Next(); count++ {
		got, err := rows.Values()
		must(err)
		check(got[0] == int32(count+1), got)
	}
	must(rows.Err())
	check(count == 10 && rows.CommandTag().String() == "SELECT 10", count)
	execute(c, "alter table t add w int")
	rows, err = c.Query(background, "select * from t where id = 1") // another text: nothing cached
	must(err)
	rows.Close()
}

func batches(c *pgx.Conn) {
	execute(c, "create table t (a int primary key)")
	batch := &pgx.Batch{}
	for n := 0; n < 50; n++ {
		batch.Queue("insert into t values ($1)", n)
	}
	batch.Queue("select sum(a)::int8 from t")
	results := c.SendBatch(background, batch)
	for n := 0; n < 50; n++ {
		_, err := results.Exec()
		must(err)
	}
	var sum int64
	must(results.QueryRow().Scan(&sum))
	check(sum == 1225, sum)
	must(results.Close())
	batch = &pgx.Batch{}
	batch.Queue("insert into t values (100)")
	batch.Queue("insert into t values (1)")
	results = c.SendBatch(background, batch)
	_, err := results.Exec()
	must(err)
	_, err = results.Exec()
	failsWith("23505", err)
	check(results.Close() != nil, "the batch has failed")
	must(c.QueryRow(background, "select count(*) from t").Scan(&sum))
	check(sum == 50, "the implicit transaction of a batch was not rolled back: ", sum)
}

func transactions(c *pgx.Conn) {
	execute(c, "create table t (a int primary key)")
	err := c.BeginFunc(background, func(tx pgx.Tx) error {
		_, err := tx.Exec(background, "insert into t values (1)")
		must(err)
		inner := tx.BeginFunc(background, func(nested pgx.Tx) error { // a savepoint
			_, err := nested.Exec(background, "insert into t values (1)")
			return err
		})
		failsWith("23505", inner)
		return nil
	})
	must(err)
	tx, err := c.BeginTx(background, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	must(err)
	_, err = tx.Exec(background, "delete from t")
	failsWith("25006", err)
	must(tx.Rollback(background))
	var count int
	must(c.QueryRow(background, "select count(*) from t").Scan(&count))
	check(count == 1, count)
}

func copies(c *pgx.Conn) {
	execute(c, "create table t (a int, b text, c timestamptz, d numeric, e float8)")
	when := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	rows := make([][]interface{}, 5000)
	for n := range rows {
		price := &pgtype.Numeric{}
		must(price.Set("1.50"))
		rows[n] = []interface{}{n, fmt.Sprint("row ", n), when, price, 0.5}
	}
	count, err := c.CopyFrom(background, pgx.Identifier{"t"}, []string{"a", "b", "c", "d", "e"}, pgx.CopyFromRows(rows)) // binary
	must(err)
	check(count == 5000, count)
	var sum string
	must(c.QueryRow(background, "select (sum(d) + sum(a))::text from t where c = $1", when).Scan(&sum))
	check(sum == "12505000.00", sum)
	var out bytes.Buffer
	_, err = c.PgConn().CopyTo(background, &out, "copy (select a, b from t order by a limit 2) to stdout csv header")
	must(err)
	check(out.String() == "a,b\n0,row 0\n1,row 1\n", out.String())
	_, err = c.PgConn().CopyFrom(background, strings.NewReader("1\tx\n2\n"), "copy t (a, b) from stdin")
	failsWith("22P04", err)
	must(c.Ping(background))
}

func introspection(c *pgx.Conn) {
	execute(c, "create type mood as enum ('sad', 'happy')", "create table t (m mood, ms mood[])")
	_, err := c.Exec(background, "insert into t values ($1, array[$2::mood])", "happy", "sad")
	must(err)
	var m, first string
	must(c.QueryRow(background, "select m::text, ms[1]::text from t").Scan(&m, &first))
	check(m == "happy" && first == "sad", m, first)
	_, err = c.Exec(background, "insert into t (m) values ($1)", "angry")
	failsWith("22P02", err)
}

func errorFields(c *pgx.Conn) {
	execute(c, "create table t (a int primary key, b int not null)", "insert into t values (1, 1)")
	_, err := c.Exec(background, "insert into t values ($1, 1)", 1)
	failure := failsWith("23505", err)
	check(failure.ConstraintName == "t_pkey" && failure.TableName == "t" && failure.Detail == "Key (a)=(1) already exists.", failure)
	_, err = c.Exec(background, "insert into t values (2, null)")
	check(failsWith("23502", err).ColumnName == "b", err)
	_, err = c.Exec(background, "selec 1")
	check(failsWith("42601", err).Position == 1, err)
	var a int
	check(c.QueryRow(background, "select a from t where a = 9").Scan(&a) == pgx.ErrNoRows, a)
}

func cancel(c *pgx.Conn) {
	done := make(chan error)
	go func() {
		_, err := c.Exec(background, "select pg_sleep(60)")
		done <- err
	}()
	var err error
	for waiting := true; waiting; {
		must(c.PgConn().CancelRequest(background))
		select {
		case err = <-done:
			waiting = false
		case <-time.After(20 * time.Millisecond): // the request came before the statement
		}
	}
	failsWith("57014", err)
}

func pool(*pgx.Conn) {
	config, err := pgxpool.ParseConfig(source("search_path=go_pgx_pool pool_max_conns=6"))
	must(err)
	p, err := pgxpool.ConnectConfig(background, config)
	must(err)
	defer p.Close()
	_, err = p.Exec(background, "create table t (a int primary key, n int)")
	must(err)
	_, err = p.Exec(background, "insert into t values (1, 0)")
	must(err)
	var wait sync.WaitGroup
	for w := 0; w < 12; w++ {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for n := 0; n < 25; n++ {
				must(p.BeginFunc(background, func(tx pgx.Tx) error {
					_, err := tx.Exec(background, "update t set n = n + 1 where a = $1", 1)
					return err
				}))
			}
		}()
	}
	wait.Wait()
	var n int
	must(p.QueryRow(background, "select n from t").Scan(&n))
	check(n == 300, n)
}

func notices(*pgx.Conn) {
	config, err := pgx.ParseConfig(source(""))
	must(err)
	var heard []string
	config.OnNotice = func(_ *pgconn.PgConn, notice *pgconn.Notice) { heard = append(heard, notice.Message) }
	c, err := pgx.ConnectConfig(background, config)
	must(err)
	defer c.Close(background)
	execute(c, "drop table if exists there_is_none")
	check(len(heard) == 1 && heard[0] == `table "there_is_none" does not exist, skipping`, heard)
	_, err = c.Exec(background, "listen channel")
	failsWith("0A000", err)
	must(c.Ping(background))
}

func main() {
	type namedCase struct {
		name string
		run  func(*pgx.Conn)
	}
	cases := []namedCase{
		{"values", values}, {"statements", statements}, {"batches", batches}, {"transactions", transactions},
		{"copies", copies}, {"introspection", introspection}, {"errorFields", errorFields}, {"cancel", cancel}, {"pool", pool},
		{"notices", notices},
	}
	failed, ran := 0, 0
	for _, simple := range []bool{false, true} {
		for _, c := range cases {
			if simple && c.name != "statements" && c.name != "transactions" && c.name != "errorFields" {
				continue
			}
			ran++
			func() {
				defer func() {
					if problem := recover(); problem != nil {
						failed++
						fmt.Println("FAILED", c.name, "simple:", simple, problem)
					}
				}()
				config, err := pgx.ParseConfig(source(""))
				must(err)
				config.PreferSimpleProtocol = simple
				connection, err := pgx.ConnectConfig(background, config)
				must(err)
				defer connection.Close(background)
				schema := "go_pgx_" + c.name
				execute(connection, "drop schema if exists "+schema+" cascade", "create schema "+schema, "set search_path to "+schema)
				c.run(connection)
			}()
		}
	}
	fmt.Printf("%d passed, %d failed\n", ran-failed, failed)
	if failed > 0 {
		os.Exit(1)
	}
}
