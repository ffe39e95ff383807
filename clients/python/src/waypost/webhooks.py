"""Whether a webhook is Waypost's."""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import re
import time
from typing import Any, Iterable, Literal, Protocol, Sequence, Tuple

from .events import WaypostEvent, to_event
from .keys import secrets_of

WebhookRefusal = Literal[
    "body_not_raw",
    "header_missing",
    "header_malformed",
    "signature_mismatch",
    "timestamp_outside_tolerance",
    "body_not_an_event",
]
"""Why a request is not believed."""


class WebhookHeaders(Protocol):
    """Headers as any framework has them: by name in any case."""

    def items(self) -> Iterable[Tuple[str, str]]:
        """Each name with its value."""
        ...


class WebhookVerificationError(Exception):
    """A request that did not come from Waypost, or not as it was sent. Answer it with 400."""

    code: WebhookRefusal
    """Why, to branch on."""

    def __init__(self, code: WebhookRefusal, says: str) -> None:
        super().__init__(code, says)
        self.code = code

    def __str__(self) -> str:
        return str(self.args[1])


TOLERANCE_SECONDS = 300
HEADER_PREFIX = "X-Service-"


def verify_webhook(
    raw_body: bytes | str,
    headers: WebhookHeaders,
    secret: str | Sequence[str],
    *,
    tolerance_seconds: float = TOLERANCE_SECONDS,
    header_prefix: str = HEADER_PREFIX,
    now: float | None = None,
) -> WaypostEvent:
    """
    Verifies a webhook and returns its event. Pass the body as it arrived, before anything parsed it, and the headers as your
    framework has them. While a secret is being rotated, pass both: `[old_secret, new_secret]`. Raises a
    WebhookVerificationError. `tolerance_seconds` is how far the signature's time may be from this machine's, either way;
    `header_prefix` the start of the header's name, if your operator changed it.
    """
    secrets = secrets_of("verify_webhook", secret)
    now = time.time() if now is None else now
    # Every comparison with NaN is false, so a signature of any age would pass.
    for name, value in (("tolerance_seconds", tolerance_seconds), ("now", now)):
        if not math.isfinite(value) or value < 0:
            raise ValueError(f"verify_webhook needs {name} as a number from 0 up, not {value}")
    body = bytes_of(raw_body)
    header_name = f"{header_prefix}Signature"
    header = _read_header(headers, header_name)
    if header is None:
        raise WebhookVerificationError("header_missing", f"The header {header_name} is missing.")
    match = re.fullmatch(r"t=([0-9]{1,12}),v1=([0-9a-f]{64})", header)
    if match is None:
        raise WebhookVerificationError("header_malformed", f"The header {header_name} is not t=…,v1=….")
    signed = match[1].encode() + b"." + body
    # Every secret is tried, so that the time it takes says nothing about which one fits.
    fits = [hmac.compare_digest(digest_of(one.encode(), signed).hex(), match[2]) for one in secrets]
    if not any(fits):
        raise WebhookVerificationError(
            "signature_mismatch",
            "The signature does not fit: another secret, or a body that was changed or parsed on its way.",
        )
    apart = abs(math.floor(now) - int(match[1]))
    if apart > tolerance_seconds:
        raise WebhookVerificationError(
            "timestamp_outside_tolerance",
            f"It was signed {apart} seconds from this machine's time; at most {tolerance_seconds:g} are accepted.",
        )
    return _event_in(body)


def bytes_of(raw_body: bytes | str) -> bytes:
    if isinstance(raw_body, str):
        return raw_body.encode()
    if isinstance(raw_body, (bytes, bytearray, memoryview)):
        return bytes(raw_body)
    raise WebhookVerificationError(
        "body_not_raw",
        "The body must be the text or the bytes that arrived. Your framework has parsed it: read its raw body instead.",
    )


def digest_of(secret: bytes, signed: bytes) -> bytes:
    return hmac.new(secret, signed, hashlib.sha256).digest()


def _read_header(headers: WebhookHeaders, name: str) -> str | None:
    found = [value for one, value in headers.items() if one.lower() == name.lower()]
    # Twice the same header: neither is to be believed.
    return ",".join(found) if found else None


def _event_in(body: bytes) -> WaypostEvent:
    try:
        envelope = json.loads(body)
        if _is_envelope(envelope):
            return to_event(envelope)
    except (ValueError, RecursionError):
        pass  # raised below
    raise WebhookVerificationError("body_not_an_event", "The body is signed, but it is not an event.")


def _is_envelope(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    texts = (value.get(field) for field in ("id", "type", "occurred_at"))
    return all(isinstance(text, str) for text in texts) and isinstance(value.get("data", 0), (dict, type(None)))
