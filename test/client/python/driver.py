"""
The Python client for tests in TypeScript: a line of JSON in is a call, a line of JSON out is its outcome. Calls run at the
same time; `kind` is Waypost or AsyncWaypost.
"""

import asyncio
import contextvars
import inspect
import itertools
import json
import os
import random
import sys
import threading
import time
from email.message import Message
from types import SimpleNamespace

import waypost
from waypost import _async, _sync
from waypost.generated import operations

CALLS = asyncio.new_event_loop()
threading.Thread(target=CALLS.run_forever, daemon=True).start()
WRITING = threading.Lock()
answered = contextvars.ContextVar("answered", default=None)


def shorten_pauses(factor):
    async def sleep(seconds):
        await asyncio.sleep(seconds / factor)

    _sync.transport.time = SimpleNamespace(sleep=lambda seconds: time.sleep(seconds / factor))
    _async.transport.asyncio = SimpleNamespace(sleep=sleep)


def record_answers():
    """What the server answered, beside what the client makes of it."""
    blocking, awaited = _sync.transport.exchange, _async.transport.async_exchange

    def note(outcome):
        if answered.get() is not None:
            answered.get().append(outcome)
        return outcome

    async def noted(*args):
        return note(await awaited(*args))

    _sync.transport.exchange = lambda *args: note(blocking(*args))
    _async.transport.async_exchange = noted


def client_of(call):
    retries = []
    client = getattr(waypost, call.get("kind", "Waypost"))(
        call["base_url"],
        call["api_key"],
        on_retry=lambda notice: retries.append(f"{notice.operation} {notice.attempt} {notice.error.code}"),
        **call.get("options", {}),
    )
    return client, retries


def method_of(client, call):
    if "operation" in call:
        caller = client.messages._call
        return lambda **given: caller(getattr(operations, call["operation"]), call["operation"], **given)
    method = client
    for name in call["method"].split("."):
        method = getattr(method, name)
    return method


def started(client, call):
    args, kwargs = call.get("args", []), call.get("kwargs", {})
    if call.get("with_response"):
        return client.with_response(method_of(client, call), *args, **kwargs)
    result = method_of(client, call)(*args, **kwargs)
    return result.pages() if call.get("pages") else result


def collected(result, call):
    if not hasattr(result, "__iter__") or isinstance(result, (dict, list)):
        return plain(result)
    items = list(itertools.islice(result, call.get("take")))
    return {"items": items, "cursor": result.cursor} if hasattr(result, "cursor") else items


async def awaited(result, call):
    if inspect.isawaitable(result):
        return plain(await result)
    if not hasattr(result, "__aiter__"):
        return plain(result)
    items = []
    if call.get("take") != 0:
        async for item in result:
            items.append(item)
            if len(items) == call.get("take"):
                break
    return {"items": items, "cursor": result.cursor} if hasattr(result, "cursor") else items


def plain(result):
    if isinstance(result, waypost.WithResponse):
        return {"data": result.result, "request_id": result.request_id, "replayed": result.replayed}
    return result


async def run_awaited(call, outcome):
    answered.set(outcome["answers"])
    client, outcome["retries"] = client_of(call)
    return await awaited(started(client, call), call)


def run(call):
    outcome = {"answers": []}
    try:
        if "verify" in call:
            outcome["result"] = verified(**call["verify"])
        elif "sign" in call:
            outcome["result"] = waypost.sign_webhook(**call["sign"])
        elif call.get("kind") == "AsyncWaypost":
            outcome["result"] = asyncio.run_coroutine_threadsafe(run_awaited(call, outcome), CALLS).result()
        else:
            answered.set(outcome["answers"])
            client, outcome["retries"] = client_of(call)
            outcome["result"] = collected(started(client, call), call)
    except Exception as error:
        outcome["error"] = {
            **{name: value for name, value in vars(error).items() if name not in ("fields", "__notes__")},
            "fields": [vars(one) for one in getattr(error, "fields", ())],
            "name": type(error).__name__,
            "names": [one.__name__ for one in type(error).__mro__],
            "message": str(error),
            "printed": repr(error) + str(error),
        }
    outcome["answers"] = [
        {"status": one.status, "headers": dict(one.headers), "body": one.body.decode()}
        for one in outcome["answers"]
        if hasattr(one, "status")
    ]
    return outcome


def verified(body, headers, secret, options):
    """A text stands for its bytes; a list of header values for a header that came so often."""
    received = Message()
    for name, value in headers.items():
        for one in value if isinstance(value, list) else [value]:
            received[name] = one
    raw = body.encode() if isinstance(body, str) and random.random() < 0.5 else body
    return waypost.verify_webhook(raw, received, secret, **options)


def answer(call):
    outcome = run(call)
    with WRITING:
        print(json.dumps({"id": call["id"], **outcome}), flush=True)


record_answers()
if "DRIVER_PAUSES" in os.environ:
    shorten_pauses(float(os.environ["DRIVER_PAUSES"]))
for line in sys.stdin:
    threading.Thread(target=answer, args=(json.loads(line),), daemon=True).start()
