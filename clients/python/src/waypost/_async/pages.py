"""Lists of any length."""

from __future__ import annotations

from typing import Any, AsyncIterator, Awaitable, Callable, Dict, Generic, List, TypeVar, cast

Item = TypeVar("Item")


class AsyncPaged(Generic[Item]):
    """A list of any length: `async for item in paged` reads page after page, as far as the loop goes."""

    def __init__(self, read: Callable[[str | None], Awaitable[Any]], first: str | None) -> None:
        self._read = read
        self._first = first

    async def pages(self) -> AsyncIterator[Dict[str, Any]]:
        """The same, a page at a time, with `items` and `next_cursor`. A page can be empty before the last one."""
        cursor = self._first
        while True:
            page = await self._read(cursor)
            yield page
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            for item in cast(List[Item], page["items"]):
                yield item
