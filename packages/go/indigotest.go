// Package indigotest gives each test a PostgreSQL-compatible database of its own, cloned from a template that is made once for
// the test binary. It needs the program `indigo` ($INDIGO, else of $PATH) and the program's own driver.
package indigotest

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Template makes databases: Driver is the database/sql driver's name ("pgx", "postgres"), Migrate fills the template.
type Template struct {
	Driver  string
	Migrate func(ctx context.Context, db *sql.DB) error

	once sync.Once
	err  error
	name string
}

var (
	start     sync.Once
	startErr  error
	port      string
	keepAlive *os.File // the server lives as long as this end of the pipe is open: with this process
	number    atomic.Int64
)

// URL is where a database of the server is.
func URL(name string) string { return fmt.Sprintf("postgresql://postgres@localhost:%s/%s?sslmode=disable", port, name) }

func startServer() error {
	binary := os.Getenv("INDIGO")
	if binary == "" {
		binary = "indigo"
	}
	command := exec.Command(binary, "run", "--", "sh", "-c", `echo "$PGPORT"; exec cat`)
	command.Stderr = os.Stderr
	reader, writer, err := os.Pipe()
	if err != nil {
		return err
	}
	command.Stdin, keepAlive = reader, writer
	stdout, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	reader.Close()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return fmt.Errorf("indigo did not start: %w", err)
	}
	port = strings.TrimSpace(line)
	return nil
}

func (t *Template) admin(statement string) error {
	db, err := sql.Open(t.Driver, URL("postgres"))
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Exec(statement)
	return err
}

func (t *Template) make() error {
	start.Do(func() { startErr = startServer() })
	if startErr != nil {
		return startErr
	}
	t.name = fmt.Sprintf("indigo_template_%d", number.Add(1))
	if err := t.admin("create database " + t.name); err != nil {
		return err
	}
	db, err := sql.Open(t.Driver, URL(t.name))
	if err != nil {
		return err
	}
	defer db.Close()
	return t.Migrate(context.Background(), db)
}

// New answers a connection pool to a clone of the template, and the clone's URL. Both end with the test; tests may run in parallel.
func (t *Template) New(tb testing.TB) (*sql.DB, string) {
	tb.Helper()
	t.once.Do(func() { t.err = t.make() })
	if t.err != nil {
		tb.Fatal(t.err)
	}
	name := fmt.Sprintf("test_%d", number.Add(1))
	if err := t.admin(fmt.Sprintf("create database %s template %s", name, t.name)); err != nil {
		tb.Fatal(err)
	}
	db, err := sql.Open(t.Driver, URL(name))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		db.Close()
		if err := t.admin("drop database " + name + " with (force)"); err != nil {
			tb.Error(err)
		}
	})
	return db, URL(name)
}
