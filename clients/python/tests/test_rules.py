"""The rules of which calls are made of: pauses, batches, addresses, paths, errors, dedupers."""

import ast
import asyncio
import inspect
import os
import pickle
import sys
import unittest
from email.utils import formatdate
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import waypost
from waypost._async.client import AsyncWaypost
from waypost.address import parse_base_url
from waypost.batch import chunks_of
from waypost.errors import ErrorFacts, error_of_answer
from waypost.events import to_event
from waypost.generated import operations
from waypost.operation import Operation, filled_path, query_string
from waypost.retry import Refused, Unanswered, may_retry, parse_retry_after, retry_delay, wait_before_retry


class RetryTest(unittest.TestCase):
    def test_which_failures_are_repeated(self):
        in_progress = Refused(409, "idempotency.request_in_progress", None)
        table = [
            (Unanswered(False), True, False),
            (Unanswered(True), True, True),
            (Refused(429, "x", None), True, True),
            (Refused(500, "x", None), True, False),
            (Refused(503, "x", None), True, False),
            (in_progress, True, False),
            *((Refused(status, "x", None), False, False) for status in range(400, 500) if status != 429),
        ]
        for failed, always, if_untouched in table:
            self.assertEqual(may_retry(failed, "always"), always, failed)
            self.assertEqual(may_retry(failed, "if_untouched"), if_untouched, failed)

    def test_the_pause_grows_and_never_undercuts_the_server(self):
        for attempt, random, expected in [(1, 0, 0.1), (1, 1, 0.2), (2, 1, 0.4), (6, 1, 5), (6, 0, 2.5), (1000, 1, 5)]:
            self.assertAlmostEqual(retry_delay(attempt, None, random), expected)
        for asked in (0, 0.5, 7, 600):
            for random in (0, 0.5, 1):
                delay = retry_delay(3, asked, random)
                self.assertTrue(asked <= delay <= asked + max(0.2, asked * 0.2))

    def test_the_end_of_the_time_is_kept_for_a_last_attempt(self):
        table = [
            (0.2, 60, 0.2),
            (90, 60, 59),
            (5, 5, 4),
            (2, 0.9, None),
            (2, -0.005, None),
            (5, float("inf"), 5),
        ]
        for delay, left, expected in table:
            self.assertEqual(wait_before_retry(delay, left, 60), expected)

    def test_retry_after_in_seconds_or_as_a_date(self):
        now = 1_787_217_300
        table = [("7", 7), (" 7 ", 7), ("0", 0), (formatdate(now + 30, usegmt=True), 30), (formatdate(now - 30), 0)]
        table += [(one, None) for one in ("soon", "-1", "1.5", "", None, "٧", "Thu, 99 Aug 2026 09:15:30 GMT")]
        for header, expected in table:
            self.assertEqual(parse_retry_after(header, now), expected, header)


class BatchTest(unittest.TestCase):
    def test_up_to_a_hundred_items_are_one_call_and_more_have_keys_of_their_own(self):
        self.assertEqual([one.key for one in chunks_of([0] * 100, "run")], ["run"])
        self.assertEqual(chunks_of([], "run"), [])
        for length in (0, 1, 99, 100, 101, 250, 1000):
            chunks = chunks_of(range(length), "run")
            self.assertEqual([item for one in chunks for item in one.items], list(range(length)))
            self.assertEqual([one.start for one in chunks], list(range(0, length, 100)))
        self.assertEqual([one.key for one in chunks], [f"run.{index}" for index in range(10)])

    def test_a_key_that_would_become_too_long_is_refused_before_anything_is_sent(self):
        self.assertEqual(len(chunks_of([0] * 1001, "k" * 249)), 11)
        with self.assertRaisesRegex(ValueError, "longer than 252 characters"):
            chunks_of([0] * 1001, "k" * 250)


class AddressTest(unittest.TestCase):
    def test_what_is_no_address_is_refused(self):
        wrong = ["", "localhost:8080", "ftp://a.example", "http://", "http://a?x=1", "http://u:p@a", "http://a:x"]
        for base_url in [*wrong, "http://a b", "http://a\r\nx", "http://õ.example", 7, "/api/v1"]:
            with self.assertRaisesRegex(ValueError, "Waypost needs a base_url"):
                parse_base_url(base_url)
        for same in ("http://a/x", "http://a/x/", "http://a/x/api/v1", "http://a/x/api/v1/"):
            self.assertEqual(parse_base_url(same).path, "/x")
        address = parse_base_url("https://[::1]:8443/way/")
        self.assertEqual((address.host, address.port, address.authority), ("::1", 8443, "[::1]:8443"))

    def test_the_environment_says_what_is_not_given(self):
        given = {"WAYPOST_BASE_URL": "https://updates.example.com", "WAYPOST_API_KEY": "way_live_x"}
        with patch.dict(os.environ, given):
            self.assertEqual(repr(waypost.Waypost()), "<Waypost of updates.example.com>")
        with patch.dict(os.environ, clear=True):
            for client in (waypost.Waypost, waypost.AsyncWaypost):
                with self.assertRaisesRegex(ValueError, "^Waypost needs a base_url, or the variable WAYPOST_BASE_URL"):
                    client(None, "way_live_x")
                for missing in (None, ""):
                    with self.assertRaisesRegex(ValueError, "^Waypost needs an api_key, or the variable WAYPOST_API_KEY"):
                        client("http://a", missing)
                with self.assertRaisesRegex(ValueError, "^api_key has a character that no key has"):
                    client("http://a", "way_live_x\n")
        for limit in (0, -1, float("nan")):
            with self.assertRaisesRegex(ValueError, "deadline_seconds must be more than 0"):
                waypost.Waypost("http://a", "way_live_x", deadline_seconds=limit)


class PathTest(unittest.TestCase):
    def test_a_value_stays_one_part_of_the_path(self):
        for email, path in [
            ("ann@example.com", "/recipients/ann%40example.com/sms"),
            ("a/b?c#d e", "/recipients/a%2Fb%3Fc%23d%20e/sms"),
            ("õie+1@näide.ee", "/recipients/%C3%B5ie%2B1%40n%C3%A4ide.ee/sms"),
            ("...", "/recipients/.../sms"),
        ]:
            self.assertEqual(filled_path("/recipients/{email}/sms", {"email": email}), path)

    def test_a_query_leaves_out_what_is_not_given(self):
        self.assertEqual(query_string({}), "")
        self.assertEqual(query_string({"cursor": None}), "")
        query = {"limit": 0, "types": ["ping", "sms.failed"], "q": "a&b=c"}
        self.assertEqual(query_string(query), "?limit=0&types=ping%2Csms.failed&q=a%26b%3Dc")

    def test_the_methods_take_every_part_of_the_query_that_the_document_has(self):
        client = AsyncWaypost("http://a", "way_live_x")
        readers = {
            "list_messages": client.messages.list,
            "list_orders": client.orders.list,
            "list_events": client.events.page,
            "list_webhook_deliveries": client.webhook_endpoints.deliveries,
            "get_usage": client.usage.get,
        }
        queries = {name: one.query for name, one in vars(operations).items() if isinstance(one, Operation) and one.query}
        self.assertEqual(set(queries), set(readers))
        for name, method in readers.items():
            taken = [one.rstrip("_") for one in inspect.signature(method).parameters if one != "id"]
            self.assertEqual(taken, list(queries[name]), name)


class ErrorTest(unittest.TestCase):
    def error(self, status, code, detail="A sentence."):
        return error_of_answer(ErrorFacts("messages.push", code, status, "r1", detail, 2, "order-1001", 7.0))

    def test_each_answer_has_its_class_and_every_fact(self):
        for status, code, kind in [
            (400, "common.malformed_request", waypost.RequestError),
            (401, "business.invalid_api_key", waypost.AuthenticationError),
            (403, "key.not_permitted", waypost.PermissionError),
            (404, "message.not_found", waypost.NotFoundError),
            (409, "sms.already_sent", waypost.ConflictError),
            (409, "idempotency.key_reused", waypost.IdempotencyKeyReusedError),
            (409, "idempotency.request_in_progress", waypost.RequestInProgressError),
            (410, "events.cursor_expired", waypost.CursorExpiredError),
            (413, "request.too_large", waypost.RequestTooLargeError),
            (415, "common.unsupported_media_type", waypost.RequestError),
            (422, "sms.phone_invalid", waypost.ValidationError),
            (429, "common.rate_limited", waypost.RateLimitError),
            (500, "common.internal", waypost.ServerError),
        ]:
            error = self.error(status, code)
            self.assertIs(type(error), kind)
            self.assertEqual((error.status, error.code, error.request_id), (status, code, "r1"))
            self.assertEqual((error.attempts, error.idempotency_key), (2, "order-1001"))
            self.assertEqual(str(error), f"messages.push: {status} {code}: A sentence.")
            again = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(again), str(again), vars(again)), (kind, str(error), vars(error)))

    def test_a_validation_error_says_which_fields_are_at_fault(self):
        found = [
            (["body", "subject"], "body subject"),
            (["body", "channels", 1], "body channels[1]"),
            (["body", "whatsapp_opt_in", "source"], "body whatsapp_opt_in.source"),
            (["header", "Idempotency-Key"], "header Idempotency-Key"),
            (["body"], "body "),
        ]
        detail = [{"type": "missing", "loc": loc, "msg": "Field required", "input": "ann@"} for loc, _ in found]
        error = self.error(422, "common.validation_failed", detail)
        self.assertEqual([f"{one.place} {one.field}" for one in error.fields], [name for _, name in found])
        self.assertIn("channels[1]: Field required; whatsapp_opt_in.source: Field required", str(error))
        self.assertNotIn("ann@", repr(error))
        for strange in (None, {}, [7], [{"loc": 7}], [{"loc": []}]):
            self.assertIsInstance(self.error(422, "x", strange), waypost.ValidationError)


class DedupeTest(unittest.TestCase):
    def test_an_id_is_claimed_once_until_it_is_given_back_or_old(self):
        now = 0.0
        deduper = waypost.InMemoryDeduper(kept_seconds=1, now=lambda: now)
        self.assertEqual([deduper.claim(one) for one in "aab"], [True, False, True])
        deduper.release("a")
        self.assertEqual([deduper.claim(one) for one in "ab"], [True, False])
        now = 1.0
        self.assertTrue(deduper.claim("b"))

    def test_the_oldest_is_forgotten_and_a_known_one_forgets_none(self):
        deduper = waypost.InMemoryDeduper(max=3)
        claimed = [deduper.claim(one) for one in "abccad"]
        self.assertEqual(claimed, [True, True, True, False, False, True])
        self.assertEqual([deduper.claim(one) for one in "bcda"], [False, False, False, True])

    def test_a_claim_that_a_transaction_takes_back_needs_no_release(self):
        def fail(event):
            raise RuntimeError("no")

        claims = SimpleNamespace(claim=lambda event_id: True)
        with self.assertRaisesRegex(RuntimeError, "no"):
            waypost.process_once(claims, {"id": "e1"}, fail)
        with self.assertRaisesRegex(RuntimeError, "no"):
            asyncio.run(waypost.async_process_once(claims, {"id": "e1"}, fail))

    def test_an_event_is_processed_once_and_again_if_that_failed(self):
        processed = []

        async def note(event):
            processed.append(event["id"])

        def fail(event):
            raise RuntimeError("the database is down")

        event = {"id": "e1"}
        deduper = waypost.InMemoryDeduper()
        with self.assertRaises(RuntimeError):
            waypost.process_once(deduper, event, fail)
        with self.assertRaises(RuntimeError):
            asyncio.run(waypost.async_process_once(deduper, event, fail))
        self.assertTrue(asyncio.run(waypost.async_process_once(deduper, event, note)))
        self.assertFalse(waypost.process_once(deduper, event, fail))
        self.assertEqual(processed, ["e1"])


class EventTest(unittest.TestCase):
    def test_a_newer_type_passes_as_an_unknown_one(self):
        envelope = {"id": "e1", "occurred_at": "2026-08-20T09:15:00.000Z"}
        known = {**envelope, "type": "ping", "data": {"endpoint_id": "x"}}
        self.assertIs(to_event(known), known)
        for data in ({"balloon": 1}, None):
            unknown = {**envelope, "type": "unknown", "unknown_type": "parcel.flew", "data": data or {}}
            self.assertEqual(to_event({**envelope, "type": "parcel.flew", "data": data}), unknown)


class PackageTest(unittest.TestCase):
    SOURCES = {path: ast.parse(path.read_text("utf-8")) for path in Path(waypost.__file__).parent.rglob("*.py")}

    def test_it_imports_the_standard_library_alone_and_prints_nothing(self):
        nodes = [node for tree in self.SOURCES.values() for node in ast.walk(tree)]
        imported = {one.name.split(".")[0] for node in nodes if isinstance(node, ast.Import) for one in node.names}
        absolute = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.level == 0]
        imported |= {str(node.module).split(".")[0] for node in absolute}
        self.assertGreater(len(imported), 10)
        self.assertEqual(imported - set(sys.stdlib_module_names), set())
        called = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
        self.assertNotIn("print", called)

    def test_everything_is_annotated_and_what_is_public_is_documented(self):
        for path, tree in self.SOURCES.items():
            for node in ast.walk(tree):
                if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    continue
                where = f"{path.name} {node.name}"
                self.assertIsNotNone(node.returns, where)
                for one in [*node.args.args, *node.args.kwonlyargs]:
                    self.assertTrue(one.annotation or one.arg == "self", f"{where} {one.arg}")
        for name in waypost.__all__:
            if inspect.isclass(getattr(waypost, name)):
                kind = getattr(waypost, name)
                told = [one for key, one in vars(kind).items() if inspect.isfunction(one) and not key.startswith("_")]
                self.assertTrue(all(one.__doc__ for one in told), name)


if __name__ == "__main__":
    unittest.main()
