<?php

declare(strict_types=1);

namespace Waypost\Internal;

/** What every exception of a call carries. */
final class ErrorFacts
{
    public function __construct(
        /** The method that was called, such as `messages.push`. */
        public readonly string $operation,
        public readonly string $errorCode,
        public readonly int $attempts,
        public readonly ?string $idempotencyKey,
        public readonly ?int $status = null,
        public readonly ?string $requestId = null,
        /** The server's `detail`: a sentence, or the list of faults of a validation. */
        public readonly mixed $detail = null,
        public readonly ?float $retryAfterSeconds = null,
    ) {
    }
}
