"""The example that claims an event in the transaction of the shop's own work, on a database of its own."""

import importlib.util
import sqlite3
import tempfile
import threading
import time
import unittest
from contextlib import closing
from pathlib import Path

EXAMPLE = Path(__file__).parents[1] / "examples" / "sqlite_transaction.py"
EVENT = {"id": "e1", "type": "ping", "occurred_at": "2026-08-20T09:15:00.000Z", "data": {"endpoint_id": "x"}}


def note(event, connection):
    connection.execute("insert into bounced (event_id) values (?)", [event["id"]])


class SqliteTransactionTest(unittest.TestCase):
    def setUp(self):
        spec = importlib.util.spec_from_file_location("sqlite_transaction", EXAMPLE)
        self.example = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.example)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = f"{folder.name}/shop.db"
        with closing(sqlite3.connect(self.path)) as connection:
            connection.execute("create table waypost_events (id text primary key, at text default current_timestamp)")
            connection.execute("create table bounced (event_id text not null)")

    def process(self, handle):
        with closing(sqlite3.connect(self.path, timeout=60)) as connection:
            return self.example.process_in_transaction(connection, EVENT, handle)

    def stored(self):
        with closing(sqlite3.connect(self.path)) as connection:
            tables = ("waypost_events", "bounced")
            return [connection.execute(f"select count(*) from {table}").fetchone()[0] for table in tables]

    def both(self, handle):
        """What two processes of the same event end with, in any order."""
        ends = []

        def process():
            try:
                ends.append(str(self.process(handle)))
            except RuntimeError as error:
                ends.append(str(error))

        threads = [threading.Thread(target=process) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sorted(ends)

    def test_an_event_is_processed_once_with_what_the_handler_writes(self):
        self.assertEqual([self.process(note), self.process(note)], [True, False])
        self.assertEqual(self.stored(), [1, 1])

    def test_a_handler_that_fails_leaves_nothing_and_the_event_is_processed_when_it_comes_again(self):
        def failing(event, connection):
            note(event, connection)
            raise RuntimeError("the warehouse does not answer")

        with self.assertRaisesRegex(RuntimeError, "the warehouse"):
            self.process(failing)
        self.assertEqual(self.stored(), [0, 0])
        self.assertTrue(self.process(note))
        self.assertEqual(self.stored(), [1, 1])

    def test_of_two_at_once_the_other_waits_for_the_outcome_of_the_first(self):
        def slow(event, connection):
            note(event, connection)
            time.sleep(0.1)

        self.assertEqual(self.both(slow), ["False", "True"])
        self.assertEqual(self.stored(), [1, 1])

    def test_if_the_first_of_two_fails_the_other_processes(self):
        calls = []

        def failing_first(event, connection):
            calls.append(event)
            is_first = len(calls) == 1
            note(event, connection)
            time.sleep(0.1)
            if is_first:
                raise RuntimeError("the first fails")

        self.assertEqual(self.both(failing_first), ["True", "the first fails"])
        self.assertEqual(self.stored(), [1, 1])


if __name__ == "__main__":
    unittest.main()
