"""Webhooks with Django: a view, and its line in `urlpatterns`."""

import os

from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from waypost import InMemoryDeduper, WaypostEvent, WebhookVerificationError, process_once, verify_webhook

secret = os.environ["WAYPOST_WEBHOOK_SECRET"]
seen = InMemoryDeduper()


# The signature says who calls; there is no session that a CSRF token would protect.
@csrf_exempt
@require_POST
def hooks(request: HttpRequest) -> HttpResponse:
    try:
        event = verify_webhook(request.body, request.headers, secret)
    except WebhookVerificationError as error:
        return HttpResponse(str(error), status=400)
    # If it raises, the answer is 500, and the event comes again.
    process_once(seen, event, handle)
    return HttpResponse(status=204)


def handle(event: WaypostEvent) -> None:
    if event["type"] == "message.bounced":
        print("bounced:", event["data"]["message_id"])


urlpatterns = [path("hooks", hooks)]
