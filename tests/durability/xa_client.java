// A transaction manager with PostgreSQL's XA data source. `prepare` leaves three branches prepared and ends without closing anything;
// `recover` finds them, commits two, rolls one back, and does the other things that a transaction manager does.
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.XAConnection;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.postgresql.xa.PGXADataSource;

class xa_client {
  record Branch(int getFormatId, byte[] global, byte[] branch) implements Xid {
    static Branch of(String global, int branch) {
      return new Branch(4711, global.getBytes(), new byte[] {(byte) branch, 0, -1});
    }
    @Override
    public boolean equals(Object other) {
      return other instanceof Branch b && getFormatId == b.getFormatId && Arrays.equals(global, b.global) &&
          Arrays.equals(branch, b.branch);
    }
    @Override
    public int hashCode() { return Arrays.hashCode(global); }
    public int getFormatId() { return getFormatId; }
    public byte[] getGlobalTransactionId() { return global; }
    public byte[] getBranchQualifier() { return branch; }
  }

  static void check(boolean condition, Object what) {
    if (!condition) throw new AssertionError(String.valueOf(what));
  }

  static XAConnection connect() throws SQLException {
    PGXADataSource source = new PGXADataSource();
    source.setServerNames(new String[] {"127.0.0.1"});
    source.setPortNumbers(new int[] {Integer.parseInt(System.getenv("PGPORT"))});
    source.setDatabaseName("postgres");
    source.setUser("postgres");
    return source.getXAConnection();
  }

  static void work(XAConnection connection, Xid xid, String statement) throws Exception {
    XAResource resource = connection.getXAResource();
    resource.start(xid, XAResource.TMNOFLAGS);
    try (Statement s = connection.getConnection().createStatement()) {
      s.execute(statement);
    }
    resource.end(xid, XAResource.TMSUCCESS);
  }

  static void prepare() throws Exception {
    // Two branches of one transfer, by two connections at the same time.
    XAConnection from = connect(), to = connect();
    work(from, Branch.of("transfer", 1), "update account set amount = amount - 30 where owner = 'ada'");
    work(to, Branch.of("transfer", 2), "update account set amount = amount + 30 where owner = 'ben'");
    check(from.getXAResource().prepare(Branch.of("transfer", 1)) == XAResource.XA_OK, "prepare");
    check(to.getXAResource().prepare(Branch.of("transfer", 2)) == XAResource.XA_OK, "prepare");
    XAConnection other = connect();
    work(other, Branch.of("abandoned", 1), "insert into account values ('dan', 1)");
    other.getXAResource().prepare(Branch.of("abandoned", 1));
    System.exit(0);
  }

  static Set<String> found(XAResource resource) throws XAException {
    Set<String> names = new TreeSet<>();
    for (Xid xid : resource.recover(XAResource.TMSTARTRSCAN | XAResource.TMENDRSCAN)) {
      check(xid.getFormatId() == 4711, xid.getFormatId());
      names.add(new String(xid.getGlobalTransactionId()) + Arrays.toString(xid.getBranchQualifier()));
    }
    return names;
  }

  static void recover() throws Exception {
    XAConnection connection = connect();
    XAResource resource = connection.getXAResource();
    Set<String> expected = Set.of("transfer[1, 0, -1]", "transfer[2, 0, -1]", "abandoned[1, 0, -1]");
    check(found(resource).equals(expected), found(resource));
    resource.commit(Branch.of("transfer", 1), false);
    resource.rollback(Branch.of("abandoned", 1));
    connect().getXAResource().commit(Branch.of("transfer", 2), false);
    check(found(resource).isEmpty(), found(resource));
    try {
      resource.commit(Branch.of("transfer", 1), false);
      throw new AssertionError("a branch is committed twice");
    } catch (XAException error) {
      check(error.errorCode == XAException.XAER_NOTA, error.errorCode);
    }
    // In one phase, and one that is rolled back without having been prepared.
    work(connection, Branch.of("alone", 1), "insert into account values ('cy', 1)");
    resource.commit(Branch.of("alone", 1), true);
    work(connection, Branch.of("failed", 1), "delete from account");
    resource.rollback(Branch.of("failed", 1));
    // Between branches the connection is an ordinary one.
    Connection ordinary = connection.getConnection();
    try (Statement s = ordinary.createStatement()) {
      check(s.executeQuery("select 1 from account where owner = 'cy'").next(), "cy");
    }
    connection.close();
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("prepare")) {
      prepare();
    } else {
      recover();
    }
  }
}
