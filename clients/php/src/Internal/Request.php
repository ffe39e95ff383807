<?php

declare(strict_types=1);

namespace Waypost\Internal;

/** A call, before its first attempt. It can hold addresses and texts, so it does not show them. */
final class Request
{
    public function __construct(
        /** The method that was called, such as `messages.push`. */
        public readonly string $operation,
        public readonly string $method,
        /** With its query. */
        public readonly string $path,
        public readonly ?string $authorization,
        public readonly ?string $body = null,
        public readonly Repeat $repeat = Repeat::Always,
        public readonly ?string $idempotencyKey = null,
        /** Whether a 404 after an attempt without an answer means that this attempt deleted it. */
        public readonly bool $isDeletion = false,
        public readonly ?float $attemptSeconds = null,
        /** Whether it is tried until it is answered or refused. */
        public readonly bool $isEndless = false,
    ) {
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['operation' => $this->operation];
    }
}
