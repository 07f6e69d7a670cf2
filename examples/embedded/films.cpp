// A database in this process: a table, a statement with a parameter, a prepared one, an error.
#include <indigo.hpp>
#include <iostream>

int main() {
  indigo::Database database;  // in memory; Database("data") keeps what is committed in that folder
  indigo::Connection connection = database.connect();

  connection.query(
      "create table film (id int primary key, title text not null, made int);"
      "insert into film values (1, 'Metropolis', 1927), (2, 'M', 1931), (3, 'Nosferatu', 1922)");

  const indigo::Rows old = connection.query("select title, made from film where made < $1 order by made", {"1930"});
  for (int64_t row = 0; row < old.size(); row++) {
    std::cout << *old.value(row, 1) << ' ' << *old.value(row, 0) << '\n';
  }

  connection.prepare("by_id", "select title from film where id = $1");
  std::cout << *connection.execute("by_id", {"2"}).value(0, 0) << '\n';

  try {
    connection.query("insert into film values (1, 'again', 2000)");
  } catch (const indigo::SqlError& error) {
    std::cout << error.sqlstate() << ": " << error.what() << '\n';
  }
}
