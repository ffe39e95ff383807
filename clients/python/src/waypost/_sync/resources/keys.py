# Made from _async/resources/keys.py by `npm run client -- python`. Do not edit.
"""API keys."""

from __future__ import annotations

from ...generated import operations
from ...generated.types import ApiKeyList, CreatedApiKey, CreateKey
from ..call import Caller


class Keys:
    """API keys."""

    def __init__(self, call: Caller) -> None:
        self._call = call

    def list(self) -> ApiKeyList:
        """Every active key, masked."""
        return self._call(operations.list_keys, "keys.list")

    def create(self, key: CreateKey | None = None) -> CreatedApiKey:
        """
        Creates a key. Only this answer has the whole of it. The server knows no idempotency key here, so the call is repeated
        only if it certainly had no effect: after a 429, or if no connection was made. After any other failure, list the keys.
        """
        return self._call(operations.create_key, "keys.create", body=key or {}, repeat="if_untouched")

    def revoke(self, id: str) -> None:
        """Revokes a key at once, with those that it created. Returns also if an attempt without an answer had revoked it."""
        self._call(operations.revoke_key, "keys.revoke", path={"key_id": id}, deletes=True)
