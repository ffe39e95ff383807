<?php

declare(strict_types=1);

namespace Waypost\Internal;

/** What the server answered. */
final class Answered
{
    public function __construct(
        public readonly int $status,
        /** @var array<string, string> By their names in lower case. */
        public readonly array $headers,
        public readonly string $body,
    ) {
    }
}
