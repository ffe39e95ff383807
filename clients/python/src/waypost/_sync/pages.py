# Made from _async/pages.py by `npm run client -- python`. Do not edit.
"""Lists of any length."""

from __future__ import annotations

from typing import Any, Iterator, Callable, Generic, TypeVar, cast

Item = TypeVar("Item")
Page = TypeVar("Page")


class Paged(Generic[Item, Page]):
    """A list of any length: `for item in paged` reads page after page, as far as the loop goes."""

    def __init__(self, read: Callable[[str | None], Page], first: str | None) -> None:
        self._read = read
        self._first = first

    def pages(self) -> Iterator[Page]:
        """The same, a page at a time, with `items` and `next_cursor`. A page can be empty before the last one."""
        cursor = self._first
        while True:
            page = self._read(cursor)
            yield page
            cursor = cast(Any, page)["next_cursor"]
            if cursor is None:
                return

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            for item in cast(Any, page)["items"]:
                yield cast(Item, item)
