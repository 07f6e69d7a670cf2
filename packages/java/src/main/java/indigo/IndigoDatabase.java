package indigo;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** Where one database is. The JDBC driver is the program's own. */
public final class IndigoDatabase {
  private final String host;
  private final int port;
  private final String name;

  IndigoDatabase(String host, int port, String name) {
    this.host = host;
    this.port = port;
    this.name = name;
  }

  public String host() {
    return host;
  }

  public int port() {
    return port;
  }

  public String name() {
    return name;
  }

  public String user() {
    return "postgres";
  }

  public String jdbcUrl() {
    return "jdbc:postgresql://" + host + ":" + port + "/" + name + "?user=" + user();
  }

  public Connection connect() throws SQLException {
    return DriverManager.getConnection(jdbcUrl());
  }
}
