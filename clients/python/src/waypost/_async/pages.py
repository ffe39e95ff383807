"""Lists of any length."""

from __future__ import annotations

from typing import Any, AsyncIterator, Awaitable, Callable, Generic, TypeVar, cast

Item = TypeVar("Item")
Page = TypeVar("Page")


class AsyncPaged(Generic[Item, Page]):
    """A list of any length: `async for item in paged` reads page after page, as far as the loop goes."""

    def __init__(self, read: Callable[[str | None], Awaitable[Page]], first: str | None) -> None:
        self._read = read
        self._first = first

    async def pages(self) -> AsyncIterator[Page]:
        """The same, a page at a time, with `items` and `next_cursor`. A page can be empty before the last one."""
        cursor = self._first
        while True:
            page = await self._read(cursor)
            yield page
            cursor = cast(Any, page)["next_cursor"]
            if cursor is None:
                return

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            for item in cast(Any, page)["items"]:
                yield cast(Item, item)
