"""Webhooks of one's own, for the tests of a receiver."""

from __future__ import annotations

import base64
import binascii
import json
import math
import time
from typing import Dict

from .keys import secrets_of
from .webhooks import HEADER_PREFIX, bytes_of, digest_of


def sign_webhook(
    raw_body: bytes | str,
    secret: str,
    *,
    now: float | None = None,
    header_prefix: str = HEADER_PREFIX,
) -> Dict[str, str]:
    """
    The headers of a webhook with this body, as Waypost would send them: for tests of a receiver. Those of Standard Webhooks
    are among them.
    """
    secrets_of("sign_webhook", secret)
    body = bytes_of(raw_body)
    event = json.loads(body)
    seconds = str(math.floor(time.time() if now is None else now))
    ours = digest_of(secret.encode(), seconds.encode() + b"." + body)
    standard = digest_of(_standard_key(secret), f"{event['id']}.{seconds}.".encode() + body)
    prefix = header_prefix.lower()
    return {
        "content-type": "application/json",
        f"{prefix}signature": f"t={seconds},v1={ours.hex()}",
        f"{prefix}event": event["type"],
        f"{prefix}delivery": event["id"],
        "webhook-id": event["id"],
        "webhook-timestamp": seconds,
        "webhook-signature": f"v1,{base64.b64encode(standard).decode()}",
    }


def _standard_key(secret: str) -> bytes:
    """Standard Webhooks uses the bytes that the part after `whsec_` encodes in base64."""
    encoded = secret[len("whsec_") :] if secret.startswith("whsec_") else secret
    try:
        return base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        return encoded.encode()  # a secret of the tester's own
