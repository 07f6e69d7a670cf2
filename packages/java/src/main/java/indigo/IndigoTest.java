package indigo;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives the class's tests parameters of the types {@link IndigoDatabase} and java.sql.Connection: a database of the test's own,
 * cloned from a template that is made once for each schema and migration in the run.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(IndigoExtension.class)
public @interface IndigoTest {
  /** Resources of the class path that hold SQL: "/schema.sql". */
  String[] schema() default {};

  /** Runs the program's own migrations (Flyway, Liquibase, Hibernate), after the schema. */
  Class<? extends Migration> migration() default Migration.None.class;

  interface Migration {
    void migrate(IndigoDatabase template) throws Exception;

    final class None implements Migration {
      @Override
      public void migrate(IndigoDatabase template) {}
    }
  }
}
