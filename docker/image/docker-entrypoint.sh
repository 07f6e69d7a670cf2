#!/usr/bin/env bash
# The image's entrypoint: what one does with PostgreSQL's image, done with Indigo. docker/README.md says what is the same.
#
# Scripts of /docker-entrypoint-initdb.d that are not executable are sourced, so what they may call is here under the names
# that they know: docker_process_sql, and the variables of this file's first functions.
set -Eeo pipefail

# NAME_FILE names a file with the value: how secrets come. $2: the value when there is neither.
file_env() {
  local name="$1" file="${1}_FILE" value="${2:-}"
  if [ "${!name:-}" ] && [ "${!file:-}" ]; then
    printf >&2 'error: both %s and %s are set (but are exclusive)\n' "$name" "$file"
    exit 1
  fi
  if [ "${!name:-}" ]; then
    value="${!name}"
  elif [ "${!file:-}" ]; then
    value="$(<"${!file}")"
  fi
  export "$name"="$value"
  unset "$file"
}

docker_setup_env() {
  file_env POSTGRES_PASSWORD
  file_env POSTGRES_USER postgres
  file_env POSTGRES_DB "$POSTGRES_USER"
  file_env POSTGRES_INITDB_ARGS
  file_env POSTGRES_HOST_AUTH_METHOD
  DATABASE_ALREADY_EXISTS=
  if [ -s "$PGDATA/PG_VERSION" ]; then DATABASE_ALREADY_EXISTS=true; fi
  declare -g DATABASE_ALREADY_EXISTS
}

docker_create_db_directories() {
  mkdir -p "$PGDATA"
  chmod 00700 "$PGDATA" 2>/dev/null || :   # a mounted folder may refuse
  mkdir -p /var/run/postgresql || :
  chmod 03775 /var/run/postgresql 2>/dev/null || :
  if [ "$(id -u)" = 0 ]; then
    find "$PGDATA" \! -user postgres -exec chown postgres '{}' +
    find /var/run/postgresql \! -user postgres -exec chown postgres '{}' + || :
  fi
}

docker_verify_minimum_env() {
  if [ -z "$POSTGRES_PASSWORD" ] && [ "$POSTGRES_HOST_AUTH_METHOD" != trust ]; then
    cat >&2 <<'EOM'
Error: Database is uninitialized and superuser password is not specified.
       Set POSTGRES_PASSWORD to a non-empty value, for example "-e POSTGRES_PASSWORD=password" on "docker run",
       or POSTGRES_HOST_AUTH_METHOD=trust to let everybody in without one. That is for machines that nobody else reaches.
EOM
    exit 1
  fi
  if [ "$POSTGRES_HOST_AUTH_METHOD" = trust ]; then
    printf >&2 'WARNING: POSTGRES_HOST_AUTH_METHOD=trust: everybody who reaches the port is let in without a password.\n'
  fi
}

# POSTGRES_INITDB_ARGS, as initdb has them: authentication is kept, what cannot be different here must be as it is.
docker_read_initdb_args() {
  INITDB_AUTH_HOST=trust INITDB_AUTH_LOCAL=trust INITDB_LOCALE=(--locale en_US.utf8)
  local -a words
  eval "words=($POSTGRES_INITDB_ARGS)"
  set -- "${words[@]}"
  local option value
  while [ $# -gt 0 ]; do
    option="$1" value=
    shift
    case "$option" in
      --*=*) value="${option#*=}" option="${option%%=*}" ;;
      -A | -E | -X | --auth | --auth-host | --auth-local | --encoding | --locale | --lc-* | --locale-provider | --icu-locale | \
        --waldir | --wal-segsize | --text-search-config | -T)
        value="${1:-}"
        shift || :
        ;;
    esac
    case "$option" in
      -A | --auth) INITDB_AUTH_HOST="$value" INITDB_AUTH_LOCAL="$value" ;;
      --auth-host) INITDB_AUTH_HOST="$value" ;;
      --auth-local) INITDB_AUTH_LOCAL="$value" ;;
      -E | --encoding)
        case "${value^^}" in UTF8 | UTF-8 | UNICODE) ;; *) initdb_refuses "encoding $value" ;; esac
        ;;
      --locale | --lc-collate | --lc-ctype | --icu-locale | --locale-provider) INITDB_LOCALE+=("$option" "$value") ;;
      --no-locale) INITDB_LOCALE+=(--locale C) ;;
      -k | --data-checksums | -N | --no-sync | -g | --allow-group-access | --lc-* | --wal-segsize | -X | --waldir | \
        -n | --no-clean | --no-instructions | -d | --debug | -T | --text-search-config) ;;
      *) initdb_refuses "$option" ;;
    esac
  done
}

initdb_refuses() {
  printf >&2 'error: POSTGRES_INITDB_ARGS: %s is not supported\n' "$1"
  exit 1
}

# What initdb would make: the files that scripts append to, and the marker of a folder in use.
docker_init_database_dir() {
  docker_read_initdb_args
  cat >"$PGDATA/pg_hba.conf" <<EOF2
# TYPE  DATABASE        USER            ADDRESS                 METHOD
local   all             all                                     $INITDB_AUTH_LOCAL
host    all             all             127.0.0.1/32            $INITDB_AUTH_HOST
host    all             all             ::1/128                 $INITDB_AUTH_HOST
EOF2
  printf "# name = 'value'; read at each start, after what the command line says\nlisten_addresses = '*'\n" \
    >"$PGDATA/postgresql.conf"
}

pg_setup_hba_conf() {
  printf '\nhost all all all %s\n' "${POSTGRES_HOST_AUTH_METHOD:-scram-sha-256}" >>"$PGDATA/pg_hba.conf"
}

# Only the socket: nobody from elsewhere sees a database that is half there.
docker_temp_server_start() {
  INDIGO_LOCALE="${INITDB_LOCALE[*]}" postgres "$@" -c listen_addresses='' -p "${PGPORT:-5432}" -c local_auth=trust -c hba_file= &
  TEMP_SERVER=$!
  local i
  for i in $(seq 600); do
    if pg_isready -q -U postgres -h /var/run/postgresql -p "${PGPORT:-5432}" -d postgres; then return 0; fi
    kill -0 "$TEMP_SERVER" 2>/dev/null || break
    sleep 0.05
  done
  wait "$TEMP_SERVER" || :
  printf >&2 'error: the server for the initialisation did not start\n'
  exit 1
}

docker_temp_server_stop() {
  kill -INT "$TEMP_SERVER"
  wait "$TEMP_SERVER" || :
}

docker_process_sql() {
  local -a database=()
  if [ -n "$POSTGRES_DB" ]; then database=(--dbname "$POSTGRES_DB"); fi
  PGHOST='' PGHOSTADDR='' psql -v ON_ERROR_STOP=1 --username "$POSTGRES_USER" --no-password --no-psqlrc "${database[@]}" "$@"
}

# The first superuser has the name that POSTGRES_USER says, and no other has one.
docker_setup_user() {
  local -a as=(psql -v ON_ERROR_STOP=1 --no-password --no-psqlrc --quiet --dbname postgres --set user="$POSTGRES_USER" --set
    password="$POSTGRES_PASSWORD")
  if [ "$POSTGRES_USER" != postgres ]; then
    PGHOST='' "${as[@]}" --username postgres <<<'CREATE ROLE indigo_initialises SUPERUSER LOGIN'
    PGHOST='' "${as[@]}" --username indigo_initialises <<<'ALTER ROLE postgres RENAME TO :"user"'
    PGHOST='' "${as[@]}" --username "$POSTGRES_USER" <<<'DROP ROLE indigo_initialises'
  fi
  if [ -n "$POSTGRES_PASSWORD" ]; then
    PGHOST='' "${as[@]}" --username "$POSTGRES_USER" <<<"ALTER ROLE :\"user\" PASSWORD :'password'"
  fi
}

docker_setup_db() {
  local there
  there="$(POSTGRES_DB=postgres docker_process_sql --set db="$POSTGRES_DB" --tuples-only \
    <<<"SELECT 1 FROM pg_database WHERE datname = :'db'")"
  if [ -z "$there" ]; then
    POSTGRES_DB=postgres docker_process_sql --set db="$POSTGRES_DB" <<<'CREATE DATABASE :"db"'
    printf '\n'
  fi
}

docker_process_init_files() {
  local file
  printf '\n'
  for file; do
    case "$file" in
      *.sh)
        if [ -x "$file" ]; then
          printf '%s: running %s\n' "$0" "$file"
          "$file"
        else
          printf '%s: sourcing %s\n' "$0" "$file"
          # shellcheck source=/dev/null
          . "$file"
        fi
        ;;
      *.sql) printf '%s: running %s\n' "$0" "$file"; docker_process_sql -f "$file"; printf '\n' ;;
      *.sql.gz) printf '%s: running %s\n' "$0" "$file"; gunzip -c "$file" | docker_process_sql; printf '\n' ;;
      *.sql.xz) printf '%s: running %s\n' "$0" "$file"; xzcat "$file" | docker_process_sql; printf '\n' ;;
      *.sql.zst) printf '%s: running %s\n' "$0" "$file"; zstd -dc "$file" | docker_process_sql; printf '\n' ;;
      *) printf '%s: ignoring %s\n' "$0" "$file" ;;
    esac
    printf '\n'
  done
}

wants_help() {
  local word
  for word; do
    case "$word" in -'?' | --help | --describe-config | -V | --version) return 0 ;; esac
  done
  return 1
}

# Arbitrary user ids (docker run --user, OpenShift): programs that ask for the user's name get one.
name_user() {
  if ! getent passwd "$(id -u)" >/dev/null 2>&1 && [ -w /etc/passwd ]; then
    printf 'postgres-%s:x:%s:%s:PostgreSQL:%s:/bin/false\n' "$(id -u)" "$(id -u)" "$(id -g)" "$PGDATA" >>/etc/passwd
  fi
}

_main() {
  if [ "${1:0:1}" = '-' ]; then set -- postgres "$@"; fi
  if [ "$1" = postgres ] && ! wants_help "$@"; then
    docker_setup_env
    docker_create_db_directories
    if [ "$(id -u)" = 0 ]; then
      exec setpriv --reuid=postgres --regid=postgres --init-groups -- "${BASH_SOURCE[0]}" "$@"
    fi
    name_user
    if [ -z "$DATABASE_ALREADY_EXISTS" ]; then
      docker_verify_minimum_env
      ls /docker-entrypoint-initdb.d/ >/dev/null 2>&1 || :
      docker_init_database_dir
      pg_setup_hba_conf
      # So that psql of scripts needs no password.
      export PGPASSWORD="${PGPASSWORD:-$POSTGRES_PASSWORD}"
      docker_temp_server_start "${@:2}"
      docker_setup_user
      docker_setup_db
      docker_process_init_files /docker-entrypoint-initdb.d/*
      docker_temp_server_stop
      unset PGPASSWORD
      printf '15\n' >"$PGDATA/PG_VERSION"
      printf '\nPostgreSQL init process complete; ready for start up.\n\n'
    else
      printf '\nPostgreSQL Database directory appears to contain a database; Skipping initialization\n\n'
    fi
  fi
  exec "$@"
}

# Sourced by others for its functions, it does nothing.
if [ "${#FUNCNAME[@]}" = 0 ] || [ "${FUNCNAME[0]}" != source ]; then _main "$@"; fi
