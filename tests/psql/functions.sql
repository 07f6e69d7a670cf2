\df pg_get_keywords
\df generate_series
\df percentile_disc
\df+ pg_size_pretty
\da sum
\do ||
\do+ @>
\dd
\sf pg_terminate_backend
\sf generate_series(int, int)
\dA b*
\dA+ hash
\db
\l template*
\dew
\des
\dRp
\dRs
\dy
\dX
\dP
\dF english
\dAc btree int4
\dAo btree integer_ops
