"""What an answer says around its result, and the follower, which only a refusal ends."""

import itertools
import unittest

import waypost

from .support import PUSH, ClientTest, answer, reset

PUSHED = answer(201, {"id": "m1"}, X_Request_Id="r1", Idempotent_Replayed="true")
PING = {"id": "e1", "type": "ping", "occurred_at": "2026-08-20T09:15:00.000Z", "data": {"endpoint_id": "x"}}


class ResponseTest(ClientTest):
    def response(self, client, method, *args, **kwargs):
        return self.call(client.with_response, method, *args, **kwargs)

    def test_it_has_the_data_the_status_the_request_id_the_headers_and_whether_it_was_replayed(self):
        client = self.client(self.server(PUSHED).url)
        told = self.response(client, client.messages.push, PUSH)
        self.assertIsInstance(told, waypost.WaypostResponse)
        self.assertEqual((told.data, told.status, told.request_id, told.replayed), ({"id": "m1"}, 201, "r1", True))
        self.assertEqual([told.headers[name] for name in ("X-Request-Id", "x-request-id", "X-None")], ["r1", "r1", None])

    def test_its_data_is_what_the_method_returns(self):
        client = self.client(self.server(answer(200, {"items": [{"id": "o1"}]})).url)
        self.assertEqual(self.response(client, client.sandbox.outbox).data, [{"id": "o1"}])

    def test_a_deletion_that_had_its_effect_keeps_the_status_of_its_answer(self):
        self.still_time()
        client = self.client(self.server(reset, answer(404, {"error_code": "key.not_found"})).url)
        told = self.response(client, client.keys.revoke, "k1")
        self.assertEqual((told.data, told.status), (None, 404))

    def test_a_batch_which_can_be_several_calls_is_refused_before_the_first(self):
        server = self.server(answer(200, {"items": []}))
        client = self.client(server.url)
        with self.assertRaisesRegex(TypeError, "with_response needs a method that makes one call"):
            self.response(client, client.messages.push_batch, [PUSH])
        self.assertEqual(server.requests, [])

    def test_nothing_of_it_is_kept_for_the_next_call(self):
        client = self.client(self.server(PUSHED, answer(403, {"error_code": "business.inactive"}), PUSHED).url)
        self.response(client, client.messages.push, PUSH)
        with self.assertRaises(waypost.PermissionError):
            self.response(client, client.messages.push, PUSH)
        self.assertEqual(self.call(client.messages.push, PUSH), {"id": "m1"})


class FollowTest(ClientTest):
    def first(self, follower, count):
        async def awaited():
            events = []
            async for event in follower:
                events.append(event)
                if len(events) == count:
                    return events

        return self.awaited(awaited()) if self.kind == "AsyncWaypost" else list(itertools.islice(follower, count))

    def test_a_follower_outlives_faults_whatever_the_client_repeats(self):
        self.still_time()
        page = answer(200, {"items": [PING], "next": "c1", "has_more": False})
        client = self.client(self.server(reset, answer(503), answer(503), page).url, max_retries=0)
        self.assertEqual(self.first(client.events.follow(), 1), [PING])

    def test_a_page_has_events_whose_newer_types_are_unknown(self):
        newer = {**PING, "type": "parcel.flew", "data": None}
        server = self.server(answer(200, {"items": [PING, newer], "next": "c1", "has_more": False}))
        page = self.call(self.client(server.url).events.page)
        self.assertEqual([event["type"] for event in page["items"]], ["ping", "unknown"])
        self.assertEqual((page["next"], page["has_more"]), ("c1", False))


class AsyncResponseTest(ResponseTest):
    kind = "AsyncWaypost"


class AsyncFollowTest(FollowTest):
    kind = "AsyncWaypost"


if __name__ == "__main__":
    unittest.main()
