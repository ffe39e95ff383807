"""
Once for all processes, and in one transaction with what `handle` writes: a failure leaves neither. First, once:
`create table waypost_events (id text primary key, at text not null default current_timestamp)`. With psycopg it is the same,
but for `%s` instead of `?`.
"""

import sqlite3
from typing import Callable

from waypost import WaypostEvent, process_once


class Claims:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def claim(self, event_id: str) -> bool:
        insert = "insert into waypost_events (id) values (?) on conflict do nothing"
        return self._connection.execute(insert, [event_id]).rowcount == 1


def process_in_transaction(
    connection: sqlite3.Connection,
    event: WaypostEvent,
    handle: Callable[[WaypostEvent, sqlite3.Connection], object],
) -> bool:
    # It ends with a commit, or with a rollback if anything fails.
    with connection:
        return process_once(Claims(connection), event, lambda one: handle(one, connection))
