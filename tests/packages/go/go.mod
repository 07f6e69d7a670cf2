module films

go 1.21

require (
	github.com/jackc/pgx/v5 v5.5.5
	indigo/indigotest v0.0.0
)

replace indigo/indigotest => @INDIGOTEST@
