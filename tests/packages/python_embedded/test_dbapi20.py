"""The compliance tests of PEP 249's authors (PyPI: dbapi-compliance)."""
import dbapi20
import indigo_embedded


class TestCompliance(dbapi20.DatabaseAPI20Test):
    driver = indigo_embedded

    def setUp(self):
        self.database = indigo_embedded.Database()

    def tearDown(self):
        self.database.close()

    def _connect(self):
        return self.database.connect()

    def test_nextset(self):
        connection = self._connect()
        cursor = connection.cursor()
        cursor.execute("select 1; select 2")
        self.assertEqual(cursor.fetchall(), [(1,)])
        self.assertTrue(cursor.nextset())
        self.assertEqual(cursor.fetchall(), [(2,)])
        self.assertIsNone(cursor.nextset())
        connection.close()

    def test_non_idempotent_close(self):
        """Opinions differ, they say: closing again does nothing, as in psycopg."""
        connection = self._connect()
        connection.close()
        connection.close()

    def test_setoutputsize(self):
        self.test_setoutputsize_basic()
