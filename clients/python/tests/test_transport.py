"""When a call is repeated, and what it ends with: the rules of the TypeScript client, over real connections."""

import asyncio
import json
import os
import shutil
import socket
import ssl
import subprocess
import tempfile
import time
import unittest
from unittest.mock import patch

import waypost
from waypost.exchange import _tls

from .support import API_KEY, PUSH, ClientTest, answer, chunked, half, hang, reset

OK = answer(200, {"balance": 1})
BUSY = answer(409, {"error_code": "idempotency.request_in_progress", "detail": "Still running."})


class RepeatedTest(ClientTest):
    def test_after_every_fault_with_the_same_key_and_body(self):
        for fault in (reset, hang, half, answer(429), answer(500), answer(502, "<h1>Bad</h1>"), answer(503), BUSY):
            with self.subTest(fault=fault):
                self.still_time()
                server = self.server(fault, fault, answer(201, {"id": "m1"}))
                notices = []
                client = self.client(
                    server.url, attempt_seconds=0.5 if fault is hang else 15, on_retry=notices.append
                )
                self.assertEqual(self.call(client.messages.push, PUSH), {"id": "m1"})
                self.assertEqual(len({request.headers["idempotency-key"] for request in server.requests}), 1)
                self.assertEqual(len({request.body for request in server.requests}), 1)
                told = [(one.operation, one.attempt) for one in notices[:2]]
                self.assertEqual(told, [("messages.push", 1), ("messages.push", 2)])

    def test_after_the_time_that_the_server_asks_for_and_not_before(self):
        still = self.still_time()
        server = self.server(answer(429, retry_after="7"), OK)
        self.call(self.client(server.url).credits.get)
        self.assertEqual(still.slept, [8.4])

    def test_with_pauses_that_double_until_the_deadline(self):
        still = self.still_time()
        server = self.server(answer(503, {"error_code": "common.unavailable"}))
        error = self.failure(self.client(server.url).credits.get)
        self.assertIsInstance(error, waypost.ServerError)
        self.assertEqual(still.slept[:6], [0.2, 0.4, 0.8, 1.6, 3.2, 5.0])
        self.assertTrue(59 <= still.now <= 60)
        self.assertEqual(error.attempts, len(server.requests))

    def test_at_the_end_of_its_time_also_if_the_server_asks_for_longer(self):
        still = self.still_time()
        late = answer(429, {"error_code": "common.rate_limited"}, retry_after="3600")
        self.call(self.client(self.server(late, OK).url).credits.get)
        self.assertEqual(still.slept, [59])
        error = self.failure(self.client(self.server(late).url).credits.get)
        self.assertIsInstance(error, waypost.RateLimitError)
        self.assertEqual(error.retry_after_seconds, 3600)

    def test_until_a_server_that_hangs_has_used_up_the_deadline(self):
        url = self.server(hang).url
        began = time.monotonic()
        client = self.client(url, attempt_seconds=0.15).with_options(deadline_seconds=0.6)
        error = self.failure(client.messages.push, PUSH, idempotency_key="order-1001")
        self.assertIsInstance(error, waypost.TimeoutError)
        self.assertIsInstance(error, waypost.ConnectionError)
        self.assertEqual((error.code, error.status, error.idempotency_key), ("client.timeout", None, "order-1001"))
        self.assertIn("no answer from 127.0.0.1", str(error))
        # One attempt ends long before.
        self.assertTrue(0.53 < time.monotonic() - began < 5)

    def test_a_server_that_drips_is_out_of_time_too(self):
        def drip(handler):
            while True:
                handler.wfile.write(b"H")
                time.sleep(0.02)

        began = time.monotonic()
        client = self.client(self.server(drip).url, attempt_seconds=0.3, max_retries=0)
        self.assertIsInstance(self.failure(client.credits.get), waypost.TimeoutError)
        self.assertLess(time.monotonic() - began, 5)

    def test_max_retries_ends_it_sooner(self):
        self.still_time()
        for most in (0, 2):
            server = self.server(answer(503))
            self.failure(self.client(server.url, max_retries=most).credits.get)
            self.assertEqual(len(server.requests), most + 1)


class NotRepeatedTest(ClientTest):
    def test_after_any_other_4xx(self):
        for status in (400, 401, 403, 404, 405, 409, 410, 413, 415, 422):
            server = self.server(answer(status, {"error_code": "some.code", "detail": "No."}))
            error = self.failure(self.client(server.url).messages.push, PUSH)
            self.assertEqual((error.status, error.code, error.attempts), (status, "some.code", 1))
            self.assertEqual(len(server.requests), 1)

    def test_after_what_is_not_waypost(self):
        redirect = answer(302, "", location="https://elsewhere.example")
        for strange in (redirect, answer(200, "<html>Sign in</html>"), answer(404, "Not found")):
            server = self.server(strange)
            error = self.failure(self.client(server.url).credits.get)
            self.assertIsInstance(error, waypost.UnexpectedAnswerError)
            self.assertIn("is base_url the address of the service?", str(error))
            self.assertEqual(len(server.requests), 1)


class UnrecognisedWriteTest(ClientTest):
    """A write that the server cannot recognise."""

    def creations(self, client):
        yield lambda: client.keys.create()
        yield lambda: client.webhook_endpoints.create({"url": "https://a.example"})
        yield lambda: client.webhook_endpoints.test("e1")

    def test_is_repeated_after_a_429(self):
        self.still_time()
        for index in range(3):
            server = self.server(answer(429), answer(201, {"id": "x"}))
            create = list(self.creations(self.client(server.url)))[index]
            self.assertEqual(self.call(create), {"id": "x"})

    def test_is_not_repeated_once_it_may_have_had_its_effect(self):
        for failing in (answer(503), answer(500), hang, reset):
            for index in range(3):
                server = self.server(failing, answer(201, {"id": "x"}))
                client = self.client(server.url, attempt_seconds=0.3 if failing is hang else 15)
                self.failure(list(self.creations(client))[index])
                self.assertEqual(len(server.requests), 1)

    def test_is_repeated_if_no_connection_was_made(self):
        self.still_time()
        with socket.socket() as reserved:
            reserved.bind(("127.0.0.1", 0))  # no one listens there
            client = self.client(f"http://127.0.0.1:{reserved.getsockname()[1]}", max_retries=3)
            error = self.failure(client.keys.create)
        self.assertEqual((error.attempts, error.code), (4, "client.connection_failed"))
        self.assertRegex(str(error), r"^keys\.create: the connection to 127\.0\.0\.1:\d+ failed \(ECONNREFUSED\)$")
        self.assertIsInstance(error.__cause__, OSError)


class AnswerTest(ClientTest):
    def test_a_chunked_answer_is_read(self):
        self.assertEqual(self.call(self.client(self.server(chunked).url).credits.get), {"balance": 1})

    def test_a_deletion_whose_answer_was_lost_counts_as_done(self):
        self.still_time()
        gone = answer(404, {"error_code": "key.not_found", "detail": "No such key."})
        server = self.server(reset, gone)
        self.assertIsNone(self.call(self.client(server.url).keys.revoke, "k1"))
        self.assertEqual(self.failure(self.client(server.url).keys.revoke, "k1").status, 404)
        cleared = self.client(self.server(reset, gone).url).recipients.clear_phone
        self.assertEqual(self.failure(cleared, "ann@example.com").status, 404)

    def test_every_write_has_a_key_and_every_read_has_none(self):
        server = self.server(answer(200, {"items": [], "next_cursor": None}))
        client = self.client(server.url)
        self.call(client.messages.push, PUSH)
        self.call(client.texts.reset, "shipped", "en")
        first, second = (request.headers["idempotency-key"] for request in server.requests)
        self.assertRegex(first, r"^[0-9a-f]{32}$")
        self.assertNotEqual(first, second)
        for read in (client.credits.get, lambda: client.messages.preview(PUSH)):
            self.call(read)
            self.assertNotIn("idempotency-key", server.requests[-1].headers)
        self.call(client.messages.push, PUSH, idempotency_key="mine")
        self.assertEqual(server.requests[-1].headers["idempotency-key"], "mine")

    def test_a_wrong_key_or_path_is_refused_before_a_call(self):
        server = self.server(OK)
        client = self.client(server.url)
        for wrong in ("", " a", "a\r\nx: y", "õ", "k" * 256):
            with self.assertRaises(ValueError):
                self.call(client.messages.push, PUSH, idempotency_key=wrong)
        for wrong in ("", ".", "..", None):
            with self.assertRaises(TypeError):
                self.call(client.messages.get, wrong)
        with self.assertRaises(ValueError):
            self.call(client.messages.push, {**PUSH, "body": float("nan")})
        self.assertEqual(server.requests, [])

    def test_every_text_is_sent_as_it_is(self):
        server = self.server(answer(201, {"id": "m1"}))
        push = {**PUSH, "subject": 'Õie "order" 🎁\u2028\x00', "body": "half a pair: \ud83d"}
        self.call(self.client(server.url).messages.push, push)
        self.assertEqual(json.loads(server.requests[0].body.decode()), push)

    def test_a_path_of_the_address_is_kept(self):
        server = self.server(OK)
        self.call(self.client(f"{server.url}/waypost/").credits.get)
        self.assertEqual(server.requests[0].path, "/waypost/api/v1/credits")

    def test_a_batch_that_fails_for_good_has_what_was_stored(self):
        stored = {"items": [{"index": index, "ok": True} for index in range(100)]}
        server = self.server(answer(200, stored), answer(403, {"error_code": "business.inactive"}))
        error = self.failure(self.client(server.url).messages.push_batch, [PUSH] * 150, idempotency_key="run")
        self.assertIsInstance(error, waypost.BatchError)
        self.assertEqual((len(error.results), error.code, error.idempotency_key), (100, "business.inactive", "run"))
        self.assertIsInstance(error.__cause__, waypost.PermissionError)
        self.assertEqual([one.headers["idempotency-key"] for one in server.requests], ["run.0", "run.1"])

    def test_nothing_that_a_logger_prints_holds_the_key_or_a_person(self):
        refusal = answer(401, {"error_code": "business.invalid_api_key", "detail": "No such key."})
        client = self.client(self.server(refusal).url, sandbox_key="sandbox_secret")
        refused = self.failure(client.recipients.erase, "ann@example.com")
        lost = self.failure(self.client("http://127.0.0.1:9", max_retries=0).recipients.erase, "ann@example.com")
        for one in (client, client._settings, client.messages, refused, lost, lost.__cause__, vars(refused)):
            self.assertNotRegex(f"{one!r} {one}", f"{API_KEY}|sandbox_secret|ann@|ann%40")


@unittest.skipUnless(shutil.which("openssl"), "openssl makes the certificate")
class TlsTest(ClientTest):
    def setUp(self):
        super().setUp()
        folder = self.stack.enter_context(tempfile.TemporaryDirectory())
        self.certificate, key = f"{folder}/certificate", f"{folder}/key"
        made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
        names = ["-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", self.certificate]
        subprocess.run([*made, *names], check=True, capture_output=True)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(self.certificate, key)
        _tls.cache_clear()
        self.addCleanup(_tls.cache_clear)

    def secure(self, *answers):
        server = self.server(*answers)
        server.secure(self.context)
        return server.url.replace("http://127.0.0.1", "https://localhost")

    def test_an_authority_that_the_environment_names_is_trusted(self):
        with patch.dict(os.environ, {"SSL_CERT_FILE": self.certificate}):
            url = self.secure(answer(200, {"text": "x" * 300_000}))
            self.assertEqual(len(self.call(self.client(url).credits.get)["text"]), 300_000)

    def test_any_other_is_not_and_nothing_is_sent(self):
        error = self.failure(self.client(self.secure(OK), max_retries=0).keys.create)
        self.assertRegex(str(error), r"the connection to localhost:\d+ failed \(SSLCertVerificationError\)$")


def awaiting(test):
    return type(f"Async{test.__name__}", (test,), {"kind": "AsyncWaypost"})


AsyncRepeatedTest = awaiting(RepeatedTest)
AsyncNotRepeatedTest = awaiting(NotRepeatedTest)
AsyncUnrecognisedWriteTest = awaiting(UnrecognisedWriteTest)
AsyncAnswerTest = awaiting(AnswerTest)
AsyncTlsTest = awaiting(TlsTest)


class CancelledTest(ClientTest):
    kind = "AsyncWaypost"

    def test_a_task_that_is_cancelled_ends_at_once(self):
        server = self.server(hang)

        async def cancelled():
            task = asyncio.create_task(self.client(server.url).credits.get())
            while not server.requests:
                await asyncio.sleep(0.01)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

        began = time.monotonic()
        asyncio.run(cancelled())
        self.assertLess(time.monotonic() - began, 5)


if __name__ == "__main__":
    unittest.main()
