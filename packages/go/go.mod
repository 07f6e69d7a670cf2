module indigo/indigotest

go 1.21
