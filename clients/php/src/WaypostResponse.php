<?php

declare(strict_types=1);

namespace Waypost;

/**
 * A result with what its answer said around it.
 *
 * @template Result
 */
final class WaypostResponse
{
    /** @internal */
    public function __construct(
        /** @var Result What the call itself returns. */
        public readonly mixed $data,
        /** The HTTP status. */
        public readonly int $status,
        /** Names the request in the server's logs. */
        public readonly ?string $requestId,
        /** Whether this is the stored answer of an earlier call with the same idempotency key. */
        public readonly bool $replayed,
        /** @var array<string, string> Every header of the answer, by its name in lower case. */
        public readonly array $headers,
    ) {
    }
}
