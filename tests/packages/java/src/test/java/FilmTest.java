import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import indigo.IndigoDatabase;
import indigo.IndigoTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

@IndigoTest(schema = "/schema.sql", migration = FilmTest.Migrate.class)
class FilmTest {
  public static class Migrate implements IndigoTest.Migration {
    @Override
    public void migrate(IndigoDatabase template) throws SQLException {
      try (Connection connection = template.connect(); Statement statement = connection.createStatement()) {
        statement.execute("create table migrated (at timestamptz default now()); insert into migrated default values");
      }
    }
  }

  static int count(Connection connection, String table) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select count(*) from " + table)) {
      rows.next();
      return rows.getInt(1);
    }
  }

  @RepeatedTest(10)
  void eachHasItsOwn(Connection connection, IndigoDatabase database) throws SQLException {
    connection.createStatement().execute("insert into film (title) values ('Nosferatu')");
    assertEquals(3, count(connection, "film"));
    assertEquals(1, count(connection, "migrated"));
    try (Connection other = database.connect()) {
      assertEquals(3, count(other, "film"));
    }
  }

  @Test
  void errorsHaveTheirState(Connection connection) {
    SQLException error =
        assertThrows(SQLException.class, () -> connection.createStatement().execute("insert into film (title) values ('M')"));
    assertEquals("23505", error.getSQLState());
  }
}
