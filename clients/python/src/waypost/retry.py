"""When a call is repeated, and after which pause."""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Literal

RepeatRule = Literal["always", "if_untouched"]
"""
When a call may be repeated. `always`: it only reads, or the server recognises it (an idempotency key, or an effect that is
the same twice). `if_untouched`: only when the server certainly did nothing.
"""


@dataclass(frozen=True)
class Refused:
    """An attempt that was answered without a success."""

    status: int
    code: str
    retry_after_seconds: float | None


@dataclass(frozen=True)
class Unanswered:
    """An attempt without an answer."""

    not_sent: bool


_IN_PROGRESS = "idempotency.request_in_progress"


def may_retry(failed: Refused | Unanswered, rule: RepeatRule) -> bool:
    """Whether to repeat the call with the same key. A 4xx is never repeated, except for a 429 and a request in progress."""
    if isinstance(failed, Unanswered):
        return rule == "always" or failed.not_sent
    if failed.status == 429:
        return True
    if rule == "if_untouched":
        return False
    return failed.status >= 500 or (failed.status == 409 and failed.code == _IN_PROGRESS)


_FIRST_DELAY_SECONDS = 0.2
_LONGEST_DELAY_SECONDS = 5.0
# Callers with the same Retry-After come back spread over this part of it.
_SPREAD = 0.2


def retry_delay(attempt: int, retry_after_seconds: float | None, random: float) -> float:
    """
    The pause before the next attempt, in seconds. `attempt` counts from 1, `random` is from 0 to 1. Without a Retry-After
    it doubles from 0.2 s to 5 s, of which the second half is random. A Retry-After is never undercut.
    """
    if retry_after_seconds is None:
        backoff = min(_LONGEST_DELAY_SECONDS, _FIRST_DELAY_SECONDS * 2.0 ** min(attempt - 1, 30))
        return backoff * (0.5 + random / 2)
    return retry_after_seconds + random * max(_FIRST_DELAY_SECONDS, retry_after_seconds * _SPREAD)


# The end of the time is kept free for one last attempt.
_LAST_ATTEMPT_SECONDS = 1.0


def wait_before_retry(delay: float, left: float, total: float) -> float | None:
    """
    How long to wait when `left` seconds are left in all, or None if no time is left for another attempt. A pause that
    would pass the deadline is cut short, so that the call is tried until the end.
    """
    if delay < left:
        return delay
    latest = left - min(_LAST_ATTEMPT_SECONDS, total / 10)
    return latest if latest > 0 else None


def parse_retry_after(header: str | None, now: float) -> float | None:
    """A Retry-After header, in seconds or as a date, as seconds from `now`. None if there is none or it says nothing."""
    text = (header or "").strip()
    if re.fullmatch(r"[0-9]{1,9}", text):
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
