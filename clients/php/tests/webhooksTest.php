<?php

declare(strict_types=1);

use Waypost\Exception\WebhookVerificationException;
use Waypost\InMemoryDeduper;
use Waypost\Webhooks;

// The delivery that docs/webhooks.md shows.
const SECRET = 'whsec_0123456789abcdefghijklmnopqrstuvwxyz0123';
const SIGNED_AT = 1_787_217_300;
const BODY = '{"data":{"endpoint_id":"mh0q2z4k00x7c1v9b3n5m8l2"},"id":"pingmh0q2z4k00c4d8f2k6p9s3v7x1",'
    . '"occurred_at":"2026-08-20T09:15:00.000Z","type":"ping"}';
const SIGNATURE = 't=1787217300,v1=938760ff9e9553472e687865ca2741f0df84184c80ab640b1126a22aef609e18';

/** @param array<mixed> $headers */
function refusal(mixed $body, array $headers, int $now = SIGNED_AT): string
{
    $verify = static fn () => Webhooks::verify($body, $headers, SECRET, now: $now);
    return fails(WebhookVerificationException::class, '', $verify)->errorCode;
}

test('a known delivery is signed as it is known', static function (): void {
    same([
        'content-type' => 'application/json',
        'x-service-signature' => SIGNATURE,
        'x-service-event' => 'ping',
        'x-service-delivery' => 'pingmh0q2z4k00c4d8f2k6p9s3v7x1',
        'webhook-id' => 'pingmh0q2z4k00c4d8f2k6p9s3v7x1',
        'webhook-timestamp' => '1787217300',
        'webhook-signature' => 'v1,4dnyNCjEDjCtQ7xYAedwB3kcgV+XHHEYD5mHrhMowX0=',
    ], Webhooks::sign(BODY, SECRET, SIGNED_AT));
});

test('headers are found as PHP and its frameworks have them', static function (): void {
    $forms = [
        ['X-Service-Signature' => SIGNATURE, 'Host' => 'a'],
        ['x-service-signature' => SIGNATURE],
        ['x-service-signature' => [SIGNATURE]],
        ['HTTP_X_SERVICE_SIGNATURE' => SIGNATURE, 'REQUEST_TIME' => 1, 'argv' => ['x']],
    ];
    foreach ($forms as $headers) {
        $event = Webhooks::verify(BODY, $headers, ['whsec_other', SECRET], now: SIGNED_AT + 300);
        same(['ping', 'mh0q2z4k00x7c1v9b3n5m8l2'], [$event['type'], $event['data']['endpoint_id']]);
    }
    $acme = ['x-acme-signature' => SIGNATURE];
    same('ping', Webhooks::verify(BODY, $acme, SECRET, headerPrefix: 'X-Acme-', now: SIGNED_AT)['type']);
});

test('a refusal says why', static function (): void {
    $headers = ['x-service-signature' => SIGNATURE];
    same('body_not_raw', refusal(['type' => 'ping'], $headers));
    same('header_missing', refusal(BODY, []));
    same('header_malformed', refusal(BODY, ['x-service-signature' => SIGNATURE . "\n"]));
    same('header_malformed', refusal(BODY, ['x-service-signature' => [SIGNATURE, SIGNATURE]]));
    same('signature_mismatch', refusal(BODY . ' ', $headers));
    same('timestamp_outside_tolerance', refusal(BODY, $headers, SIGNED_AT + 301));
    same('timestamp_outside_tolerance', refusal(BODY, $headers, SIGNED_AT - 301));
    $signed = static fn (string $body): array => [
        'x-service-signature' => 't=' . SIGNED_AT . ',v1=' . hash_hmac('sha256', SIGNED_AT . ".$body", SECRET),
    ];
    foreach (['hello', '{}', '7', '{"id":"e1","type":"ping","occurred_at":"x"}'] as $strange) {
        same('body_not_an_event', refusal($strange, $signed($strange)));
    }
});

test('without a secret nothing is verified or signed', static function (): void {
    foreach (['', [], [''], ['a', '']] as $secret) {
        $verify = static fn () => Webhooks::verify(BODY, [], $secret);
        fails(InvalidArgumentException::class, 'needs the secret of the endpoint', $verify);
    }
    fails(InvalidArgumentException::class, 'needs the secret', static fn () => Webhooks::sign(BODY, ''));
    $late = static fn () => Webhooks::verify(BODY, [], SECRET, toleranceSeconds: -1);
    fails(InvalidArgumentException::class, 'toleranceSeconds', $late);
});

test('a newer type passes as an unknown one', static function (): void {
    foreach (['{"balloon":1}' => ['balloon' => 1], 'null' => []] as $data => $read) {
        $body = "{\"id\":\"e1\",\"type\":\"parcel.flew\",\"occurred_at\":\"x\",\"data\":$data}";
        $known = ['id' => 'e1', 'occurred_at' => 'x', 'data' => $read];
        $event = ['type' => 'unknown', 'unknown_type' => 'parcel.flew', ...$known];
        same($event, Webhooks::verify($body, Webhooks::sign($body, SECRET), SECRET));
    }
});

test('an id is claimed once until it is given back or old', static function (): void {
    $now = 0;
    $deduper = new InMemoryDeduper(keptSeconds: 1, now: static function () use (&$now): int {
        return $now;
    });
    same([true, false, true], array_map($deduper->claim(...), ['a', 'a', '7']));
    $deduper->release('a');
    same([true, false], array_map($deduper->claim(...), ['a', '7']));
    $now = 1;
    same(true, $deduper->claim('7'));
});

test('the oldest is forgotten, and a known one forgets none', static function (): void {
    $deduper = new InMemoryDeduper(max: 3);
    same([true, true, true, false, false, true], array_map($deduper->claim(...), str_split('abccad')));
    same([false, false, false, true], array_map($deduper->claim(...), str_split('bcda')));
});

test('an event is processed once, and again if that failed', static function (): void {
    $processed = [];
    $note = static function (array $event) use (&$processed): void {
        $processed[] = $event['id'];
    };
    $fail = static fn () => throw new DomainException('the database is down');
    $deduper = new InMemoryDeduper();
    $process = static fn (callable $by): bool => Webhooks::processOnce($deduper, ['id' => 'e1'], $by);
    fails(DomainException::class, 'the database is down', static fn () => $process($fail));
    same([true, false], [$process($note), $process($fail)]);
    same(['e1'], $processed);
});
