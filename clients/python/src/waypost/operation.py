"""What an operation of the API is, and how its address is written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Iterable, Mapping, Tuple, TypeVar
from urllib.parse import quote, urlencode

from .times import time_text

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Operation(Generic[Answer]):
    """One operation of the API. `Answer` is what it answers with."""

    method: str
    path: str
    is_write: bool = False
    """Whether it changes something: it then gets an idempotency key."""
    query: Tuple[str, ...] = ()
    """The names of its query."""


def filled_path(template: str, values: Mapping[str, str]) -> str:
    """Puts the values into `/messages/{public_id}`. What a URL would read as another path is refused."""

    def part(match: re.Match[str]) -> str:
        value = values.get(match[1])
        if not isinstance(value, str) or value in ("", ".", ".."):
            raise TypeError(f'{match[1]} must be a text other than "", "." and ".."')
        return quote(value, safe="")

    return re.sub(r"\{(\w+)\}", part, template)


def query_string(query: Mapping[str, object]) -> str:
    """`?limit=5&types=a,b`; what is None is left out."""
    fields = [(name, _query_text(name, value)) for name, value in query.items() if value is not None]
    return f"?{urlencode(fields)}" if fields else ""


def _query_text(name: str, value: object) -> str:
    if isinstance(value, (str, datetime)):
        return time_text(name, value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Iterable):
        return ",".join(str(one) for one in value)
    return str(value)
