"""Webhooks with FastAPI: `uvicorn fastapi_receiver:app`."""

import os

from fastapi import FastAPI, Request, Response
from waypost import InMemoryDeduper, WaypostEvent, WebhookVerificationError, async_process_once, verify_webhook

app = FastAPI()
secret = os.environ["WAYPOST_WEBHOOK_SECRET"]
seen = InMemoryDeduper()


@app.post("/hooks")
async def hooks(request: Request) -> Response:
    # The raw body: a parameter with a model would parse it.
    body = await request.body()
    try:
        event = verify_webhook(body, request.headers, secret)
    except WebhookVerificationError as error:
        return Response(str(error), status_code=400)
    # If it raises, the answer is 500, and the event comes again.
    await async_process_once(seen, event, handle)
    return Response(status_code=204)


async def handle(event: WaypostEvent) -> None:
    if event["type"] == "message.bounced":
        print("bounced:", event["data"]["message_id"])
