"""Prepaid credits."""

from __future__ import annotations

from ...generated import operations
from ...generated.types import Credits
from ..call import AsyncCaller


class AsyncCreditsResource:
    """Prepaid credits."""

    def __init__(self, call: AsyncCaller) -> None:
        self._call = call

    async def get(self) -> Credits:
        """The balance."""
        return await self._call(operations.get_credits, "credits.get")
