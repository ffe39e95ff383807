"""Times and lists as the API takes them."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, Mapping, Sequence


def time_text(name: str, time: str | datetime) -> str:
    """A time as the API takes it."""
    if isinstance(time, str):
        return time
    # It would be another time on another machine.
    if time.utcoffset() is None:
        raise ValueError(f"{name} is a datetime without a time zone: give it one, as datetime.now(timezone.utc) has")
    return time.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def json_value(name: str, value: Any) -> Any:
    """What JSON can say: a datetime as a time, any sequence as a list, at any depth. The rest is as it is."""
    if isinstance(value, datetime):
        return time_text(name, value)
    if isinstance(value, Mapping):
        return {field: json_value(field, one) for field, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return [json_value(name, one) for one in value]
    return value
