<?php

declare(strict_types=1);

namespace Waypost\Internal;

use Waypost\Generated\Operations;
use Waypost\Time;

/** Calls operations of the API with the key of a business. */
final class Caller
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * `$id` is the operation in the OpenAPI document, `$method` what was called, such as `messages.push`.
     * `Repeat::IfUntouched` is for a write that the server cannot recognise; `isDeletion` where a 404 after an attempt
     * without an answer means that this attempt had its effect.
     *
     * @param key-of<Operations::ROUTES> $id
     * @param array<string, string> $path
     * @param array<string, mixed> $query
     * @param array<mixed>|null $body
     */
    public function call(
        string $id,
        string $method,
        #[\SensitiveParameter] array $path = [],
        #[\SensitiveParameter] array $query = [],
        #[\SensitiveParameter] ?array $body = null,
        ?string $idempotencyKey = null,
        Repeat $repeat = Repeat::Always,
        bool $isDeletion = false,
        ?float $attemptSeconds = null,
        bool $isEndless = false,
    ): mixed {
        [$verb, $template] = explode(' ', Operations::ROUTES[$id]);
        return $this->transport->send(new Request(
            operation: $method,
            method: $verb,
            path: Path::filled($template, $path) . Path::query($query),
            authorization: $this->transport->settings->apiKey,
            body: $body === null ? null : Json::encode($body),
            repeat: $repeat,
            idempotencyKey: self::isWrite($id, $verb) ? Check::idempotencyKey($idempotencyKey) : null,
            isDeletion: $isDeletion,
            attemptSeconds: $attemptSeconds,
            isEndless: $isEndless,
        ));
    }

    /** For how long an attempt waits that the server may hold back for `$waitSeconds`. */
    public function attemptSeconds(int $waitSeconds): float
    {
        return $waitSeconds + $this->transport->settings->attemptSeconds;
    }

    public function time(): Time
    {
        return $this->transport->settings->time;
    }

    /** A write gets an idempotency key. */
    private static function isWrite(string $id, string $verb): bool
    {
        return $verb !== 'GET' && $id !== 'previewPush';
    }
}
