/* Indigo in process: a PostgreSQL 15 compatible database without sockets. docs/embedded.md has examples; indigo.hpp is this
   for C++.

   Texts are UTF-8 and end with a zero byte. A function's texts belong to what they were asked of (a result, a connection) and
   live as long; those in `char** error` are the caller's, for indigo_free.

   Thread safety: a database may be used from any thread. A connection may be used from any thread, by one at a time; a statement
   that has to wait for another's lock blocks its thread. indigo_cancel alone may be called beside another call. A result is
   the caller's, and outlives its connection. */
#ifndef INDIGO_H
#define INDIGO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct indigo_database indigo_database;
typedef struct indigo_connection indigo_connection;
typedef struct indigo_result indigo_result;

/* "0.2" */
const char* indigo_version(void);
void indigo_free(char* text);

/* `directory`: where the data is kept; NULL: everything in memory. `settings`: "name=value", ended by NULL, or NULL.
   NULL is answered on failure, and why in *error if error is not NULL. */
indigo_database* indigo_open(const char* directory, const char* const* settings, char** error);
/* All connections must have been closed before. */
void indigo_close(indigo_database* database);

/* There is no password: who has the database connects as any role. NULL: the role postgres, the database of the role's name. */
indigo_connection* indigo_connect(indigo_database* database, const char* user, const char* name, char** error);
void indigo_disconnect(indigo_connection* connection);

/* One or more statements; the results are chained by indigo_next. The chain ends with the first error. Never NULL. */
indigo_result* indigo_query(indigo_connection* connection, const char* sql);
/* One statement with parameters $1, $2 ... as texts, NULL for null. */
indigo_result* indigo_query_params(indigo_connection* connection, const char* sql, int count,
                                   const char* const* values);
/* A prepared statement of this name, to be executed as often as wanted; "" is replaced by the next one. */
indigo_result* indigo_prepare(indigo_connection* connection, const char* name, const char* sql);
indigo_result* indigo_execute(indigo_connection* connection, const char* name, int count, const char* const* values);
/* COPY ... FROM STDIN with its whole input. What COPY ... TO STDOUT writes is indigo_copied of its result. */
indigo_result* indigo_copy_in(indigo_connection* connection, const char* sql, const char* data, size_t size);

/* Ends the statement that runs on this connection, from any thread: it fails with 57014. */
void indigo_cancel(indigo_connection* connection);
/* 'I' outside of a transaction block, 'T' inside, 'E' in one that has failed. */
char indigo_transaction_status(const indigo_connection* connection);

/* Notices, called during the statement; `severity` is "NOTICE", "WARNING" and so on. NULL: they are dropped. */
typedef void (*indigo_notice_function)(void* context, const char* severity, const char* sqlstate, const char* message);
void indigo_on_notice(indigo_connection* connection, indigo_notice_function function, void* context);

/* What NOTIFY has sent to a connection that listens. 0: there is nothing; the texts live until the next call. */
typedef struct {
  int32_t sender;
  const char* channel;
  const char* payload;
} indigo_notification;
int indigo_next_notification(indigo_connection* connection, indigo_notification* notification);

/* The next result of the same indigo_query, or NULL. */
indigo_result* indigo_next(const indigo_result* result);
/* Frees the whole chain; only the first result of a chain may be given. */
void indigo_free_result(indigo_result* result);

/* 1 unless the statement failed. */
int indigo_ok(const indigo_result* result);
/* Five characters; "00000" without an error. */
const char* indigo_sqlstate(const indigo_result* result);
/* Of an error; "" without one, and for what the error does not have. */
const char* indigo_message(const indigo_result* result);
const char* indigo_detail(const indigo_result* result);
const char* indigo_hint(const indigo_result* result);
/* 1-based character in the statement's text, 0 when unknown. */
int indigo_position(const indigo_result* result);

/* "INSERT 0 1", "SELECT 2" */
const char* indigo_tag(const indigo_result* result);
/* Rows that the statement has answered, inserted, changed or deleted. */
int64_t indigo_affected(const indigo_result* result);

int indigo_columns(const indigo_result* result);
int64_t indigo_rows(const indigo_result* result);
const char* indigo_column_name(const indigo_result* result, int column);
/* pg_type.oid */
uint32_t indigo_column_type(const indigo_result* result, int column);
/* A value as text, NULL for null. Columns and rows count from 0; outside of them the answer is NULL. */
const char* indigo_value(const indigo_result* result, int64_t row, int column);
/* Its bytes without the zero; 0 for null. */
size_t indigo_value_size(const indigo_result* result, int64_t row, int column);
/* What COPY ... TO STDOUT wrote. */
const char* indigo_copied(const indigo_result* result, size_t* size);

#ifdef __cplusplus
}
#endif

#endif
