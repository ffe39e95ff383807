"""API keys."""

from __future__ import annotations

from ...generated import operations
from ...generated.types import ApiKeyList, CreatedApiKey, CreateKey
from ..call import AsyncCaller


class AsyncKeys:
    """API keys."""

    def __init__(self, call: AsyncCaller) -> None:
        self._call = call

    async def list(self) -> ApiKeyList:
        """Every active key, masked."""
        return await self._call(operations.list_keys, "keys.list")

    async def create(self, key: CreateKey | None = None) -> CreatedApiKey:
        """
        Creates a key. Only this answer has the whole of it. The server knows no idempotency key here, so the call is repeated
        only if it certainly had no effect: after a 429, or if no connection was made. After any other failure, list the keys.
        """
        return await self._call(operations.create_key, "keys.create", body=key or {}, repeat="if_untouched")

    async def revoke(self, id: str) -> None:
        """Revokes a key at once, with those that it created. Returns also if an attempt without an answer had revoked it."""
        await self._call(operations.revoke_key, "keys.revoke", path={"key_id": id}, deletes=True)
