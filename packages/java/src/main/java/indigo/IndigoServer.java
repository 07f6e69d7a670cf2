package indigo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** A server in memory on a free port, which ends with close() or with this process. */
public final class IndigoServer implements AutoCloseable {
  private final Process process;
  private final int port;

  public IndigoServer(String... settings) throws IOException {
    List<String> command = new ArrayList<>(List.of(binary(), "run"));
    for (String setting : settings) command.addAll(List.of("-c", setting));
    // It lives as long as its command, which reads our end of the pipe.
    command.addAll(List.of("--", "sh", "-c", "echo \"$PGPORT\"; exec cat"));
    process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String line = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)).readLine();
    if (line == null) throw new IOException("indigo did not start");
    port = Integer.parseInt(line);
  }

  /** $INDIGO, else the binary that this artifact carries, else indigo of $PATH. */
  static String binary() throws IOException {
    String chosen = System.getenv("INDIGO");
    if (chosen != null) return chosen;
    String machine = System.getProperty("os.arch").replace("amd64", "x86_64");
    try (InputStream carried = IndigoServer.class.getResourceAsStream("/indigo/linux-" + machine + "/indigo")) {
      if (carried == null) return "indigo";
      Path file = Files.createTempDirectory("indigo-").resolve("indigo");
      Files.copy(carried, file);
      file.toFile().setExecutable(true);
      file.toFile().deleteOnExit();
      file.getParent().toFile().deleteOnExit();
      return file.toString();
    }
  }

  public int port() {
    return port;
  }

  public IndigoDatabase database(String name) {
    return new IndigoDatabase("localhost", port, name);
  }

  /** A new database. A clone of a template takes a millisecond, whatever its size. */
  public IndigoDatabase create(String name, String template) throws SQLException {
    execute("create database " + quoted(name) + (template == null ? "" : " template " + quoted(template)));
    return database(name);
  }

  public void drop(String name) throws SQLException {
    execute("drop database if exists " + quoted(name) + " with (force)");
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = database("postgres").connect(); Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  @Override
  public void close() {
    try {
      process.getOutputStream().close();
      process.waitFor();
    } catch (IOException e) {
      process.destroy();
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
    }
  }
}
