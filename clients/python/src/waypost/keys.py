"""The keys and secrets that a caller gives."""

from __future__ import annotations

import re
from secrets import token_hex
from typing import Iterable, List, Sequence


def new_key() -> str:
    """A key for a call whose caller gave none: 32 hexadecimal digits."""
    return token_hex(16)


def check_key(key: str) -> str:
    """An idempotency key is part of a request's head, and the server takes 255 characters."""
    if not isinstance(key, str) or not re.fullmatch(r"[!-~](?:[ -~]{0,253}[!-~])?", key):
        raise ValueError("idempotency_key must be 1 to 255 printable ASCII characters, without a space at either end")
    return key


def sendable_key(name: str, key: object) -> str:
    """A key that was read with the line's end would otherwise be part of the next line of the request."""
    if not isinstance(key, str) or not key:
        raise ValueError(f"{name} must be a text that is not empty")
    if not re.fullmatch(r"[!-~]+", key):
        raise ValueError(
            f'{name} has a character that no key has, such as a space, a line break or "ä": use printable ASCII'
        )
    return key


def secrets_of(caller: str, secret: str | Sequence[str]) -> List[str]:
    """The secrets of an endpoint."""
    is_one = isinstance(secret, str) or not isinstance(secret, Iterable)
    given: List[object] = [secret] if is_one else [*secret]
    secrets = [one for one in given if isinstance(one, str) and one]
    if secrets and len(secrets) == len(given):
        return secrets
    raise ValueError(f"{caller} needs the secret of the endpoint: whsec_… (is its variable set?)")
