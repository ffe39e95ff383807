"""What a caller gives: keys, secrets, times and lists. What cannot work is refused with a sentence, and nothing is sent."""

import unittest
from collections import deque
from datetime import datetime, timedelta, timezone

import waypost
from waypost.keys import secrets_of, sendable_key
from waypost.operation import query_string
from waypost.times import json_value, time_text

from .support import API_KEY, PUSH, ClientTest, answer

AT = datetime(2026, 8, 20, 12, 15, 0, 123456, timezone(timedelta(hours=3)))
WITHOUT_A_ZONE = datetime(2026, 8, 20, 12, 15)
SAYS = "is a datetime without a time zone: give it one, as datetime.now\\(timezone.utc\\) has"


class KeyTest(unittest.TestCase):
    def test_a_key_that_can_be_sent(self):
        for key in ("way_live_0123", "~"):
            self.assertEqual(sendable_key("api_key", key), key)

    def test_a_key_that_is_none_or_that_no_header_can_carry(self):
        for key in (None, "", 7):
            with self.assertRaisesRegex(ValueError, "^sandbox_key must be a text that is not empty$"):
                sendable_key("sandbox_key", key)
        for key in ("way_live_0\n", "a\r\nx-other: 1", "tellimus-õ", "a b", "\u2026", "\x00"):
            with self.assertRaisesRegex(ValueError, "^sandbox_key has a character that no key has, such as a space"):
                waypost.Waypost("http://a", API_KEY, sandbox_key=key)

    def test_secrets_are_one_or_several_texts(self):
        self.assertEqual([secrets_of("x", one) for one in ("a", ["a", "b"], ("a",))], [["a"], ["a", "b"], ["a"]])
        says = r" needs the secret of the endpoint: whsec_… \(is its variable set\?\)$"
        for missing in (None, "", [], ["a", None], [""], 7, b"whsec_x"):
            with self.assertRaisesRegex(ValueError, f"^verify_webhook{says}"):
                waypost.verify_webhook(b"{}", {}, missing)
            with self.assertRaisesRegex(ValueError, f"^sign_webhook{says}"):
                waypost.sign_webhook(b"{}", missing)


class TimeTest(unittest.TestCase):
    def test_a_datetime_is_sent_as_a_time_and_any_sequence_as_a_list_at_any_depth(self):
        sent = {"items": ({"send_at": AT, "channels": deque(["sms"]), "reference": None},), "since": "as it is"}
        expected = {
            "items": [{"send_at": "2026-08-20T09:15:00.123Z", "channels": ["sms"], "reference": None}],
            "since": "as it is",
        }
        self.assertEqual(json_value("body", sent), expected)
        query = {"created_after": AT, "types": {"ping": 1}.keys()}
        self.assertEqual(query_string(query), "?created_after=2026-08-20T09%3A15%3A00.123Z&types=ping")
        self.assertEqual([time_text("to", AT), time_text("to", "x")], ["2026-08-20T09:15:00.123Z", "x"])

    def test_one_without_a_zone_is_refused_by_its_name(self):
        for make in (
            lambda: json_value("body", {"items": [{"send_at": WITHOUT_A_ZONE}]}),
            lambda: query_string({"send_at": WITHOUT_A_ZONE}),
            lambda: time_text("send_at", WITHOUT_A_ZONE),
        ):
            with self.assertRaisesRegex(ValueError, f"^send_at {SAYS}$"):
                make()


class GivenTest(ClientTest):
    def test_a_call_takes_a_datetime_wherever_the_api_takes_a_time(self):
        server = self.server(answer(200, {"id": "m1", "items": [], "next_cursor": None, "now": "x"}))
        client = self.client(server.url)
        self.call(client.messages.push, {**PUSH, "send_at": AT})
        self.call(client.orders.report_tracking, "#1001", {"tracking_number": "J", "status": "delayed", "at": AT})
        self.call(client.webhook_endpoints.replay, "w1", {"since": AT})
        self.call(client.sandbox.advance_to, AT)
        for request in server.requests:
            self.assertIn(b'"2026-08-20T09:15:00.123Z"', request.body)
        for paged in (
            client.messages.list(created_after=AT),
            client.messages.list(created_before=AT),
            client.orders.list(updated_after=AT),
        ):
            self.items(paged)
            self.assertIn("=2026-08-20T09%3A15%3A00.123Z", server.requests[-1].path)
        self.assertEqual(len(server.requests), 7)

    def items(self, paged):
        async def awaited():
            return [item async for item in paged]

        return self.awaited(awaited()) if self.kind == "AsyncWaypost" else list(paged)

    def test_a_mistake_at_the_end_of_a_long_batch_is_refused_before_its_beginning_is_sent(self):
        server = self.server(answer(200, {"items": []}))
        pushes = (*[PUSH] * 150, {**PUSH, "send_at": WITHOUT_A_ZONE})
        with self.assertRaisesRegex(ValueError, f"^send_at {SAYS}$"):
            self.call(self.client(server.url).messages.push_batch, pushes)
        self.assertEqual(server.requests, [])


class AsyncGivenTest(GivenTest):
    kind = "AsyncWaypost"


if __name__ == "__main__":
    unittest.main()
