package films

import (
	"context"
	"database/sql"
	"os"
	"testing"

	"indigo/indigotest"

	_ "github.com/jackc/pgx/v5/stdlib"
)

var films = indigotest.Template{Driver: "pgx", Migrate: func(ctx context.Context, db *sql.DB) error {
	schema, err := os.ReadFile(os.Getenv("SCHEMA"))
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, string(schema))
	return err
}}

func TestEachHasItsOwn(t *testing.T) {
	for _, title := range []string{"a", "b", "c", "d", "e"} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			db, _ := films.New(t)
			if _, err := db.Exec("insert into film (title) values ($1)", title); err != nil {
				t.Fatal(err)
			}
			var count int
			if err := db.QueryRow("select count(*) from film").Scan(&count); err != nil || count != 3 {
				t.Fatal(count, err)
			}
		})
	}
}
