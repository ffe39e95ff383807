<?php

declare(strict_types=1);

namespace Waypost;

use InvalidArgumentException;
use JsonException;
use Throwable;
use Waypost\Exception\WebhookVerificationException;
use Waypost\Generated\Types;
use Waypost\Internal\Check;
use Waypost\Internal\Envelope;
use Waypost\Internal\Json;

/**
 * Receiving webhooks: whether one is Waypost's, and whether it came before.
 *
 * @phpstan-import-type WaypostEvent from Types
 */
final class Webhooks
{
    private const TOLERANCE_SECONDS = 300;
    private const HEADER_PREFIX = 'X-Service-';

    /**
     * Verifies a webhook and returns its event. Pass the body as it arrived, before anything parsed it, and the headers
     * as they are at hand: `getallheaders()`, `$_SERVER`, or those of a request of PSR-7, Symfony or Laravel. While a
     * secret is being rotated, pass both: `[$oldSecret, $newSecret]`. Throws a WebhookVerificationException.
     * `toleranceSeconds` is how far the signature's time may be from this machine's, either way; `headerPrefix` the
     * start of the header's name, if your operator changed it; `now` the time to compare with, in seconds.
     *
     * @param string $rawBody
     * @param array<mixed> $headers
     * @param string|array<string> $secret
     * @return WaypostEvent
     */
    public static function verify(
        #[\SensitiveParameter] mixed $rawBody,
        #[\SensitiveParameter] array $headers,
        #[\SensitiveParameter] string|array $secret,
        int $toleranceSeconds = self::TOLERANCE_SECONDS,
        string $headerPrefix = self::HEADER_PREFIX,
        ?int $now = null,
    ): array {
        $secrets = Check::secrets('Webhooks::verify', $secret);
        if ($toleranceSeconds < 0) {
            throw new InvalidArgumentException('Webhooks::verify needs toleranceSeconds as a number from 0 up');
        }
        if (!is_string($rawBody)) {
            throw new WebhookVerificationException(
                'body_not_raw',
                'The body must be the text that arrived. Your framework has parsed it: read its raw body instead.',
            );
        }
        $name = "{$headerPrefix}Signature";
        $header = self::header($headers, $name)
            ?? throw new WebhookVerificationException('header_missing', "The header $name is missing.");
        if (preg_match('/\At=([0-9]{1,12}),v1=([0-9a-f]{64})\z/', $header, $match) !== 1) {
            throw new WebhookVerificationException('header_malformed', "The header $name is not t=…,v1=….");
        }
        [, $seconds, $digest] = $match;
        if (!self::isGenuine("$seconds.$rawBody", $digest, $secrets)) {
            throw new WebhookVerificationException(
                'signature_mismatch',
                'The signature does not fit: another secret, or a body that was changed or parsed on its way.',
            );
        }
        $apart = abs(($now ?? time()) - (int) $seconds);
        if ($apart > $toleranceSeconds) {
            throw new WebhookVerificationException(
                'timestamp_outside_tolerance',
                "It was signed $apart seconds from this machine's time; at most $toleranceSeconds are accepted.",
            );
        }
        return self::eventIn($rawBody);
    }

    /**
     * The headers of a webhook with this body, as Waypost would send them: for tests of a receiver. Those of Standard
     * Webhooks are among them.
     *
     * @return array<string, string>
     */
    public static function sign(
        #[\SensitiveParameter] string $rawBody,
        #[\SensitiveParameter] string $secret,
        ?int $now = null,
        string $headerPrefix = self::HEADER_PREFIX,
    ): array {
        Check::secrets('Webhooks::sign', $secret);
        ['id' => $id, 'type' => $type] = self::eventFieldsIn($rawBody);
        $seconds = $now ?? time();
        $prefix = strtolower($headerPrefix);
        // Standard Webhooks uses the bytes that the part after `whsec_` encodes in base64. A test's may encode none.
        $encoded = str_starts_with($secret, 'whsec_') ? substr($secret, strlen('whsec_')) : $secret;
        $key = base64_decode($encoded, true) ?: $encoded;
        $standard = base64_encode(hash_hmac('sha256', "$id.$seconds.$rawBody", $key, true));
        return [
            'content-type' => 'application/json',
            "{$prefix}signature" => "t=$seconds,v1=" . hash_hmac('sha256', "$seconds.$rawBody", $secret),
            "{$prefix}event" => $type,
            "{$prefix}delivery" => $id,
            'webhook-id' => $id,
            'webhook-timestamp' => (string) $seconds,
            'webhook-signature' => "v1,$standard",
        ];
    }

    /**
     * Processes an event unless it was processed before, and says whether it did. If `$process` fails, the id is given
     * back and the failure passed on: answer with an error, and the event comes again.
     *
     * @template Event of array{id: string, ...}
     * @param Event $event
     * @param callable(Event): mixed $process
     */
    public static function processOnce(
        WebhookDeduper $deduper,
        #[\SensitiveParameter] array $event,
        callable $process,
    ): bool {
        if (!$deduper->claim($event['id'])) {
            return false;
        }
        try {
            $process($event);
            return true;
        } catch (Throwable $error) {
            $deduper->release($event['id']);
            throw $error;
        }
    }

    /**
     * Every secret is tried, so that the time it takes says nothing about which one fits.
     *
     * @param list<string> $secrets
     */
    private static function isGenuine(
        #[\SensitiveParameter] string $signed,
        string $digest,
        #[\SensitiveParameter] array $secrets,
    ): bool {
        $fits = false;
        foreach ($secrets as $secret) {
            $fits = hash_equals(hash_hmac('sha256', $signed, $secret), $digest) || $fits;
        }
        return $fits;
    }

    /**
     * By its name in any case, or as `$_SERVER` has it. Twice the same header: neither is to be believed.
     *
     * @param array<mixed> $headers
     */
    private static function header(#[\SensitiveParameter] array $headers, string $name): ?string
    {
        $wanted = [strtolower($name), 'http_' . strtr(strtolower($name), '-', '_')];
        $found = [];
        foreach ($headers as $one => $value) {
            if (in_array(strtolower((string) $one), $wanted, true)) {
                array_push($found, ...array_values(array_filter((array) $value, 'is_string')));
            }
        }
        return $found === [] ? null : implode(',', $found);
    }

    /** @return WaypostEvent */
    private static function eventIn(#[\SensitiveParameter] string $body): array
    {
        try {
            $envelope = Json::decode($body);
        } catch (JsonException) {
            $envelope = null;
        }
        if (!self::isEnvelope($envelope)) {
            throw new WebhookVerificationException('body_not_an_event', 'The body is signed, but it is not an event.');
        }
        return Envelope::event($envelope);
    }

    private static function isEnvelope(#[\SensitiveParameter] mixed $value): bool
    {
        if (!is_array($value) || !array_key_exists('data', $value)) {
            return false;
        }
        $texts = [$value['id'] ?? null, $value['type'] ?? null, $value['occurred_at'] ?? null];
        return array_filter($texts, 'is_string') === $texts && ($value['data'] === null || is_array($value['data']));
    }

    /** @return array{id: string, type: string} */
    private static function eventFieldsIn(#[\SensitiveParameter] string $body): array
    {
        $event = Json::decode($body);
        if (!is_array($event) || !is_string($event['id'] ?? null) || !is_string($event['type'] ?? null)) {
            throw new InvalidArgumentException('Webhooks::sign needs the JSON of an event, with its id and type');
        }
        return ['id' => $event['id'], 'type' => $event['type']];
    }
}
