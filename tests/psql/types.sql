\dT
\dT+ mood
\dT positive
\dD
\dD+ positive
\d pair
\dT int*
\dC int4
\dO C
