"""
Uses of the client, for mypy: what narrows, what completes, and what is refused. Nothing runs it. With `--strict`, an error
that an ignored line does not have is an error itself.
"""

from __future__ import annotations

from datetime import datetime, timezone
from email.message import Message
from typing import List, Literal

import waypost
from waypost import AsyncWaypost, Push, PushResult, Waypost, WaypostEvent, WaypostResponse

client = Waypost("http://localhost:8080", "way_live_x")
push: Push = {"recipient_email": "ann@example.com", "subject": "Hello", "body": "There", "channels": ("sms",)}


def pushes() -> None:
    push["send_at"] = datetime.now(timezone.utc)
    result: PushResult = client.messages.push(push, idempotency_key="k")
    if result["sms"] is not None:
        reason: str | None = result["sms"]["skipped_reason"]
        # Of this version or of a later one.
        print(reason == "no_phone", result["status"] == "of a later version")
    print(result["subjct"])  # type: ignore[typeddict-item]
    push["subjct"] = "x"  # type: ignore[typeddict-item]
    push["channels"] = ["fax"]  # type: ignore[list-item]
    client.messages.push({"recipient_email": "ann@example.com"})  # type: ignore[typeddict-item]
    client.messages.push(push, idempotency="k")  # type: ignore[call-arg]


def items_of_a_batch() -> None:
    for item in client.messages.push_batch([push, push])["items"]:
        if item["ok"] is True:
            print(item["result"]["id"])
        else:
            code: str = item["error_code"]
            print(code, item["result"]["id"])  # type: ignore[index]


def lists() -> None:
    for message in client.messages.list(status="active", created_after=datetime.now(timezone.utc)):
        subject: str = message["subject"]
        print(subject)
    for page in client.messages.list().pages():
        cursor: str | None = page["next_cursor"]
        print(cursor, page["items"][0]["id"], page["itms"])  # type: ignore[typeddict-item]
    # What is sent has the words of this version alone.
    client.messages.list(status="of a later version")  # type: ignore[arg-type]


def narrowed(event: WaypostEvent) -> str:
    if event["type"] == "message.opened":
        print(event["data"]["balance"])  # type: ignore[typeddict-item]
        return event["data"]["message_id"]
    if event["type"] == "credits.low_balance":
        return str(event["data"]["balance"] + 1)
    if event["type"] == "unknown":
        return event["unknown_type"]
    return event["id"]


def events() -> None:
    seen = waypost.InMemoryDeduper()
    waypost.process_once(seen, waypost.verify_webhook(b"", Message(), ["whsec_a", "whsec_b"]), narrowed)
    types: List[Literal["message.opened", "ping"]] = ["message.opened"]
    for event in client.events.page(types=types)["items"]:
        narrowed(event)
    for event in client.events.follow(after="latest"):
        narrowed(event)
    client.events.page(types=["message.opnd"])  # type: ignore[list-item]


def errors(error: waypost.WaypostError) -> None:
    code: str = error.code
    print(code == "message.not_found", code == "client.timeout")
    if isinstance(error, waypost.ValidationError):
        print([fault.field for fault in error.fields])


def responses() -> None:
    told: WaypostResponse[PushResult] = client.with_response(client.messages.push, push, idempotency_key="k")
    print(told.data["id"], told.status + 1, told.replayed, told.headers["RateLimit"])
    client.with_response(client.messages.push, idempotency_key="k")  # type: ignore[call-arg]


async def awaited() -> None:
    other = AsyncWaypost("http://localhost:8080", "way_live_x")
    told = await other.with_response(other.messages.push, push)
    print(told.data["id"], (await other.sandbox.create_business(credits=3))["api_key"])
    async for event in other.events.list():
        narrowed(event)
    async for page in other.orders.list().pages():
        print(page["items"][0]["reference"])
