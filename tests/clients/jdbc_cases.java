// PostgreSQL's JDBC driver: extended protocol with server-side prepared statements (binary after five runs), batches, fetch
// sizes, metadata, COPY, savepoints, error fields, cancel. Run as a source file: java -cp DRIVER.jar jdbc_cases.java
import java.io.StringReader;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.sql.*;
import java.time.*;
import java.util.*;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;
import org.postgresql.util.PSQLException;

class jdbc_cases {
  interface Case {
    void run(Connection connection) throws Exception;
  }

  static void check(boolean condition, Object what) {
    if (!condition) throw new AssertionError(String.valueOf(what));
  }

  static Connection connect(String more) throws SQLException {
    String port = System.getenv().getOrDefault("PGPORT", "5432");
    return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=postgres&password=x" + more);
  }

  static PSQLException fails(String state, Case action, Connection connection) throws Exception {
    try {
      action.run(connection);
    } catch (PSQLException error) {
      check(state.equals(error.getSQLState()), error);
      return error;
    }
    throw new AssertionError("no error " + state);
  }

  static void execute(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String text : statements) statement.execute(text);
    }
  }

  static Object one(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(query)) {
      check(rows.next(), "no row");
      return rows.getObject(1);
    }
  }

  static final Map<String, Case> CASES = new LinkedHashMap<>();

  static {
    CASES.put("values, text and binary", connection -> {
      Object[] values = {1, 5L << 40, (short) -3, 1.5, 2.5f, new BigDecimal("12345.678900"), "it's é", true,
                         LocalDate.of(2024, 2, 29), LocalDateTime.of(2024, 2, 29, 1, 2, 3, 456789000), LocalTime.of(1, 2, 3),
                         OffsetDateTime.of(2024, 2, 29, 1, 2, 3, 0, ZoneOffset.UTC), UUID.fromString("12345678-1234-5678-1234-567812345678")};
      String[] types = {"int4", "int8", "int2", "float8", "float4", "numeric", "text", "bool", "date", "timestamp", "time",
                        "timestamptz", "uuid"};
      for (int i = 0; i < values.length; i++) {
        try (PreparedStatement statement = connection.prepareStatement("select ?::" + types[i])) {
          for (int run = 0; run < 8; run++) {  // the later ones are prepared on the server, results are binary
            statement.setObject(1, values[i]);
            try (ResultSet rows = statement.executeQuery()) {
              rows.next();
              Class<?> kind = values[i] instanceof Short ? Integer.class : values[i].getClass();
              Object got = rows.getObject(1, kind);
              Object wanted = values[i] instanceof Short ? Integer.valueOf((Short) values[i]) : values[i];
              check(wanted.equals(got), types[i] + ": " + got);
            }
          }
        }
      }
      try (PreparedStatement statement = connection.prepareStatement("select ?::int4[], ?::bytea, ?::text")) {
        for (int run = 0; run < 8; run++) {
          statement.setArray(1, connection.createArrayOf("int4", new Integer[] {1, null, 3}));
          statement.setBytes(2, new byte[] {0, 1, -1});
          statement.setNull(3, Types.VARCHAR);
          try (ResultSet rows = statement.executeQuery()) {
            rows.next();
            check(Arrays.equals((Integer[]) rows.getArray(1).getArray(), new Integer[] {1, null, 3}), "array");
            check(Arrays.equals(rows.getBytes(2), new byte[] {0, 1, -1}), "bytea");
            check(rows.getString(3) == null && rows.wasNull(), "null");
          }
        }
      }
    });
    CASES.put("batches, generated keys, update counts", connection -> {
      execute(connection, "create table b (id serial primary key, name text, n int)");
      connection.setAutoCommit(false);
      try (PreparedStatement statement = connection.prepareStatement("insert into b (name, n) values (?, ?)")) {
        for (int i = 0; i < 1000; i++) {
          statement.setString(1, "n" + i);
          statement.setInt(2, i);
          statement.addBatch();
        }
        check(Arrays.stream(statement.executeBatch()).allMatch(n -> n == 1), "counts");
      }
      try (PreparedStatement statement =
               connection.prepareStatement("insert into b (name) values ('key')", Statement.RETURN_GENERATED_KEYS)) {
        check(statement.executeUpdate() == 1, "count");
        try (ResultSet keys = statement.getGeneratedKeys()) {
          check(keys.next() && keys.getInt("id") == 1001, "key");
        }
      }
      connection.commit();
      try (PreparedStatement statement = connection.prepareStatement("insert into b (id) values (?)")) {
        for (int id : new int[] {2000, 1, 2001}) {
          statement.setInt(1, id);
          statement.addBatch();
        }
        try {
          statement.executeBatch();
          throw new AssertionError("no error");
        } catch (BatchUpdateException error) {
          check("23505".equals(error.getSQLState()), error);
        }
      }
      connection.rollback();
      check(((Number) one(connection, "select count(*) from b")).intValue() == 1001, "rolled back");
    });
    CASES.put("fetch size: portals with row limits", connection -> {
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        statement.setFetchSize(70);
        long sum = 0;
        try (ResultSet rows = statement.executeQuery("select i from generate_series(1, 1000) i")) {
          while (rows.next()) {
            sum += rows.getInt(1);
            if (rows.getInt(1) % 100 == 0) one(connection, "select 1");  // another portal between
          }
        }
        check(sum == 500500, sum);
      }
      try (Statement statement = connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY);
           ResultSet rows = statement.executeQuery("select i from generate_series(1, 10) i")) {
        rows.absolute(5);
        check(rows.getInt(1) == 5 && rows.previous() && rows.getInt(1) == 4, "scroll");
      }
    });
    CASES.put("transactions, savepoints, isolation, errors", connection -> {
      execute(connection, "create table t (a int primary key check (a > 0), b int not null)");
      connection.setAutoCommit(false);
      execute(connection, "insert into t values (1, 1)");
      Savepoint savepoint = connection.setSavepoint("s");
      PSQLException error = fails("23505", c -> execute(c, "insert into t values (1, 2)"), connection);
      check("t_pkey".equals(error.getServerErrorMessage().getConstraint()), "constraint");
      check("Key (a)=(1) already exists.".equals(error.getServerErrorMessage().getDetail()), "detail");
      fails("25P02", c -> one(c, "select 1"), connection);
      connection.rollback(savepoint);
      execute(connection, "insert into t values (2, 2)");
      connection.commit();
      check(((Number) one(connection, "select count(*) from t")).intValue() == 2, "count");
      connection.rollback();
      fails("23514", c -> execute(c, "insert into t values (-1, 2)"), connection);
      connection.rollback();
      check(fails("42P01", c -> one(c, "select * from  nowhere"), connection).getServerErrorMessage().getPosition() == 16, "position");
      connection.rollback();
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      check("repeatable read".equals(one(connection, "show transaction_isolation")), "isolation");
      connection.rollback();
      connection.setReadOnly(true);
      fails("25006", c -> execute(c, "insert into t values (3, 3)"), connection);
      connection.rollback();
    });
    CASES.put("a prepared statement heals when its table changes", connection -> {
      execute(connection, "create table h (a int)", "insert into h values (1)");
      try (PreparedStatement statement = connection.prepareStatement("select * from h")) {
        for (int run = 0; run < 8; run++) statement.executeQuery().close();
        execute(connection, "alter table h add b text default 'b'");
        try (ResultSet rows = statement.executeQuery()) {
          check(rows.getMetaData().getColumnCount() == 2 && rows.next() && "b".equals(rows.getString(2)), "columns");
        }
      }
    });
    CASES.put("metadata", connection -> {
      execute(connection, "create table parent (id int primary key, name varchar(20) not null default 'x')",
              "create table child (id bigint primary key, p int references parent on delete cascade, amount numeric(8,2))",
              "create index child_amount on child (amount, p)", "create view v as select id from parent",
              "comment on column parent.name is 'the name'");
      DatabaseMetaData data = connection.getMetaData();
      check(data.getDatabaseMajorVersion() == 15 && data.supportsTransactions(), "version");
      List<String> names = new ArrayList<>();
      try (ResultSet rows = data.getTables(null, connection.getSchema(), "%", new String[] {"TABLE", "VIEW"})) {
        while (rows.next()) names.add(rows.getString("TABLE_NAME") + " " + rows.getString("TABLE_TYPE"));
      }
      check(names.equals(List.of("child TABLE", "parent TABLE", "v VIEW")), names);
      names.clear();
      try (ResultSet rows = data.getColumns(null, connection.getSchema(), "parent", null)) {
        while (rows.next()) {
          names.add(rows.getString("COLUMN_NAME") + " " + rows.getString("TYPE_NAME") + " " + rows.getInt("COLUMN_SIZE") + " " +
                    rows.getString("IS_NULLABLE") + " " + rows.getString("COLUMN_DEF") + " " + rows.getString("REMARKS"));
        }
      }
      check(names.equals(List.of("id int4 10 NO null null", "name varchar 20 NO 'x'::character varying the name")), names);
      try (ResultSet rows = data.getPrimaryKeys(null, connection.getSchema(), "parent")) {
        check(rows.next() && "id".equals(rows.getString("COLUMN_NAME")) && "parent_pkey".equals(rows.getString("PK_NAME")), "key");
      }
      try (ResultSet rows = data.getImportedKeys(null, connection.getSchema(), "child")) {
        check(rows.next() && "parent".equals(rows.getString("PKTABLE_NAME")) && "p".equals(rows.getString("FKCOLUMN_NAME")) &&
                  rows.getShort("DELETE_RULE") == DatabaseMetaData.importedKeyCascade, "foreign key");
      }
      names.clear();
      try (ResultSet rows = data.getIndexInfo(null, connection.getSchema(), "child", false, false)) {
        while (rows.next()) names.add(rows.getString("INDEX_NAME") + " " + rows.getString("COLUMN_NAME"));
      }
      check(names.equals(List.of("child_pkey id", "child_amount amount", "child_amount p")), names);
      for (ResultSet rows : List.of(data.getSchemas(), data.getCatalogs(), data.getTypeInfo(), data.getTableTypes(),
                                    data.getFunctions(null, null, "abs"), data.getProcedures(null, null, "%"),
                                    data.getColumnPrivileges(null, null, "parent", "%"), data.getTablePrivileges(null, null, "parent"),
                                    data.getBestRowIdentifier(null, null, "parent", 0, true), data.getUDTs(null, null, "%", null),
                                    data.getClientInfoProperties(), data.getExportedKeys(null, null, "parent"))) {
        while (rows.next()) rows.getObject(1);
        rows.close();
      }
      check(data.getSQLKeywords() != null && data.getMaxColumnNameLength() == 63, "keywords");
      try (PreparedStatement statement = connection.prepareStatement("select p, amount from child where id = ?")) {
        check(statement.getParameterMetaData().getParameterType(1) == Types.BIGINT, "parameter");
        ResultSetMetaData columns = statement.getMetaData();
        check(columns.getColumnType(2) == Types.NUMERIC && columns.getScale(2) == 2 && columns.getPrecision(2) == 8, "result");
        check("child".equals(((org.postgresql.PGResultSetMetaData) columns).getBaseTableName(1)), "base table");
      }
    });
    CASES.put("copy", connection -> {
      execute(connection, "create table c (a int, b text)");
      CopyManager copy = ((PGConnection) connection).getCopyAPI();
      check(copy.copyIn("copy c from stdin (format csv)", new StringReader("1,one\n2,\"t,w\"\"o\"\n")) == 2, "in");
      StringWriter out = new StringWriter();
      check(copy.copyOut("copy c to stdout", out) == 2 && out.toString().equals("1\tone\n2\tt,w\"o\n"), out);
      fails("22P02", c -> copy.copyIn("copy c from stdin", new StringReader("x\ty\n")), connection);
      check(((Number) one(connection, "select count(*) from c")).intValue() == 2, "after");
    });
    CASES.put("cancel, timeouts, many statements", connection -> {
      try (Statement statement = connection.createStatement()) {
        statement.setQueryTimeout(1);
        fails("57014", c -> statement.execute("select pg_sleep(60)"), connection);
        check(statement.execute("select 1; select 2") && statement.getMoreResults(), "results");
      }
    });
    CASES.put("function calls", connection -> {
      // The simple protocol cannot declare the output parameter: PostgreSQL finds no upper(unknown, unknown) there either.
      for (String mode : List.of("")) {
        try (Connection other = connect(mode)) {
          for (int i = 0; i < 7; i++) {
            try (CallableStatement call = other.prepareCall("{? = call upper(?)}")) {
              call.registerOutParameter(1, Types.VARCHAR);
              call.setString(2, "abc" + i);
              call.execute();
              check(("ABC" + i).equals(call.getString(1)), call.getString(1));
            }
          }
          try (CallableStatement call = other.prepareCall("{? = call make_date(?, ?, ?)}")) {
            call.registerOutParameter(1, Types.DATE);
            for (int i = 2; i <= 4; i++) call.setInt(i, i);
            call.execute();
            check("0002-03-04".equals(call.getDate(1).toString()), call.getDate(1));
          }
        }
      }
    });
    CASES.put("simple protocol", unused -> {
      try (Connection connection = connect("&preferQueryMode=simple")) {
        try (PreparedStatement statement = connection.prepareStatement("select ?::int + ?, ?")) {
          statement.setInt(1, 1);
          statement.setInt(2, 2);
          statement.setString(3, "it's \\");
          try (ResultSet rows = statement.executeQuery()) {
            check(rows.next() && rows.getInt(1) == 3 && "it's \\".equals(rows.getString(3 - 1)), "row");
          }
        }
      }
    });
    CASES.put("what is not supported says so", connection -> {
      fails("0A000", c -> execute(c, "create transform for int language sql (from sql with function f(internal))"), connection);
      check(((Number) one(connection, "select 1")).intValue() == 1, "usable");
    });
  }

  public static void main(String[] arguments) throws Exception {
    int passed = 0, failed = 0;
    for (var entry : CASES.entrySet()) {
      if (arguments.length > 0 && !entry.getKey().contains(arguments[0])) continue;
      try (Connection connection = connect("")) {
        execute(connection, "drop schema if exists jdbc_cases cascade", "create schema jdbc_cases", "set search_path to jdbc_cases");
        entry.getValue().run(connection);
        passed++;
      } catch (Throwable error) {
        failed++;
        System.out.println("FAILED " + entry.getKey());
        error.printStackTrace(System.out);
      }
    }
    System.out.println(passed + " passed, " + failed + " failed");
    System.exit(failed == 0 ? 0 : 1);
  }
}
