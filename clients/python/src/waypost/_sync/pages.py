# Made from _async/pages.py by `npm run client -- python`. Do not edit.
"""Lists of any length."""

from __future__ import annotations

from typing import Any, Iterator, Callable, Dict, Generic, List, TypeVar, cast

Item = TypeVar("Item")


class Paged(Generic[Item]):
    """A list of any length: `for item in paged` reads page after page, as far as the loop goes."""

    def __init__(self, read: Callable[[str | None], Any], first: str | None) -> None:
        self._read = read
        self._first = first

    def pages(self) -> Iterator[Dict[str, Any]]:
        """The same, a page at a time, with `items` and `next_cursor`. A page can be empty before the last one."""
        cursor = self._first
        while True:
            page = self._read(cursor)
            yield page
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            for item in cast(List[Item], page["items"]):
                yield item
