/* The same in C: a table, and a statement with a parameter. */
#include <indigo.h>

#include <stdio.h>

int main(void) {
  char* error = NULL;
  indigo_database* database = indigo_open(NULL, NULL, &error);
  indigo_connection* connection = database ? indigo_connect(database, NULL, NULL, &error) : NULL;
  if (connection == NULL) {
    fprintf(stderr, "%s\n", error);
    return 1;
  }

  indigo_free_result(indigo_query(connection,
                                  "create table film (id int primary key, title text not null, made int);"
                                  "insert into film values (1, 'Metropolis', 1927), (2, 'M', 1931)"));

  const char* values[] = {"1930"};
  indigo_result* old = indigo_query_params(connection, "select title, made from film where made < $1", 1, values);
  if (!indigo_ok(old)) fprintf(stderr, "%s: %s\n", indigo_sqlstate(old), indigo_message(old));
  for (int64_t row = 0; row < indigo_rows(old); row++) {
    printf("%s %s\n", indigo_value(old, row, 1), indigo_value(old, row, 0));
  }
  indigo_free_result(old);

  indigo_disconnect(connection);
  indigo_close(database);
  return 0;
}
