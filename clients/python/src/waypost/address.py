"""Where the service is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Address:
    """The parts of `https://updates.example.com`."""

    authority: str
    """The host, with its port where one was given."""
    host: str
    port: int
    is_https: bool
    path: str
    """What comes before the path of every operation; empty for most services."""


def parse_base_url(base_url: str | None) -> Address:
    """A ValueError says what is wrong with it."""
    # Without a slash at its end, and without the path that every call begins with.
    url = base_url.rstrip("/").removesuffix("/api/v1").rstrip("/") if isinstance(base_url, str) else ""
    # What is not ASCII cannot stand in the head of a request.
    if re.fullmatch(r"https?://[!-~]+", url) and not re.search(r"[?#@]", url):
        try:
            parts = urlsplit(url)
            if parts.hostname:
                is_https = parts.scheme == "https"
                port = parts.port or (443 if is_https else 80)
                return Address(parts.netloc, parts.hostname, port, is_https, parts.path)
        except ValueError:
            pass  # raised below
    raise ValueError(
        "Waypost needs a base_url, or the variable WAYPOST_BASE_URL: the http(s) address of your service, "
        "without a user or a query"
    )
