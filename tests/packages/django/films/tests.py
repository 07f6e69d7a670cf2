from django.db import IntegrityError, connection, transaction
from django.test import TestCase, TransactionTestCase

from films.models import Film


class Queries(TestCase):
    def test_objects(self):
        Film.objects.bulk_create([Film(title="Metropolis", made=1927, tags={"silent": True}), Film(title="M", made=1931)])
        self.assertEqual(Film.objects.filter(tags__silent=True).get().title, "Metropolis")
        with self.assertRaises(IntegrityError), transaction.atomic():
            Film.objects.create(title="M")
        self.assertEqual(Film.objects.aggregate(n=connection_count())["n"], 2)

    def test_nothing_is_left(self):
        self.assertEqual(Film.objects.count(), 0)


def connection_count():
    from django.db.models import Count

    return Count("id")


class Commits(TransactionTestCase):
    def test_it_is_indigo(self):
        with connection.cursor() as cursor:
            cursor.execute("select version()")
            self.assertIn("Indigo", cursor.fetchone()[0])
        Film.objects.create(title="M")
        self.assertEqual(Film.objects.count(), 1)
