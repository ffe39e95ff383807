"""What was sent, and what it cost."""

from __future__ import annotations

from typing import Literal

from ...generated import operations
from ...generated.types import Usage
from ..call import AsyncCaller


class AsyncUsageResource:
    """What was sent, what it cost, and what never had to go."""

    def __init__(self, call: AsyncCaller) -> None:
        self._call = call

    async def get(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        interval: Literal["day", "month"] | None = None,
    ) -> Usage:
        """By day or month; by default the last 30 days."""
        query = {"from": from_, "to": to, "interval": interval}
        return await self._call(operations.get_usage, "usage.get", query=query)
