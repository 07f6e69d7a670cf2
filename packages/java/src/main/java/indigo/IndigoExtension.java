package indigo;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** See {@link IndigoTest}. */
public final class IndigoExtension implements ParameterResolver {
  private static final Namespace NAMESPACE = Namespace.create(IndigoExtension.class);
  private static final AtomicInteger NUMBER = new AtomicInteger();

  /** The run's server; JUnit closes it at the end. */
  private static final class Run implements CloseableResource {
    final IndigoServer server;

    Run() {
      try {
        server = new IndigoServer();
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void close() {
      server.close();
    }
  }

  /** A test's own database, and the connection that it may have asked for. */
  private static final class Clone implements CloseableResource {
    final IndigoServer server;
    final IndigoDatabase database;
    Connection connection;

    Clone(IndigoServer server, String template) throws SQLException {
      this.server = server;
      database = server.create("test_" + NUMBER.incrementAndGet(), template);
    }

    synchronized Connection connection() throws SQLException {
      if (connection == null) connection = database.connect();
      return connection;
    }

    @Override
    public void close() throws SQLException {
      if (connection != null) connection.close();
      server.drop(database.name());
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == IndigoDatabase.class || type == Connection.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Clone clone = context.getStore(NAMESPACE).getOrComputeIfAbsent("clone", key -> clone(context), Clone.class);
    try {
      return parameter.getParameter().getType() == Connection.class ? clone.connection() : clone.database;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Clone clone(ExtensionContext context) {
    ExtensionContext.Store shared = context.getRoot().getStore(NAMESPACE);
    IndigoServer server = shared.getOrComputeIfAbsent("run", key -> new Run(), Run.class).server;
    IndigoTest wanted = context.getRequiredTestClass().getAnnotation(IndigoTest.class);
    String key = wanted == null ? "" : Arrays.toString(wanted.schema()) + wanted.migration().getName();
    String template = shared.getOrComputeIfAbsent("template " + key, k -> template(server, context, wanted), String.class);
    try {
      return new Clone(server, template);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String template(IndigoServer server, ExtensionContext context, IndigoTest wanted) {
    String name = "indigo_template_" + NUMBER.incrementAndGet();
    try {
      IndigoDatabase template = server.create(name, null);
      if (wanted == null) return name;
      try (Connection connection = template.connect(); Statement statement = connection.createStatement()) {
        for (String resource : wanted.schema()) statement.execute(text(context.getRequiredTestClass(), resource));
      }
      wanted.migration().getDeclaredConstructor().newInstance().migrate(template);
    } catch (Exception e) {
      throw new IllegalStateException("the template could not be made", e);
    }
    return name;
  }

  private static String text(Class<?> test, String resource) throws IOException {
    try (InputStream in = test.getResourceAsStream(resource)) {
      if (in == null) throw new IOException("there is no resource " + resource);
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
