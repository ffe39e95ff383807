<?php

declare(strict_types=1);

namespace Waypost;

use Waypost\Exception\WaypostException;

/** A request that is about to be repeated. It names no person. */
final class RetryNotice
{
    /** @internal */
    public function __construct(
        /** The method that was called, such as `messages.push`. */
        public readonly string $operation,
        /** The number of the attempt that failed, from 1. */
        public readonly int $attempt,
        /** How it failed. */
        public readonly WaypostException $error,
        /** How long until the next one. */
        public readonly float $delaySeconds,
    ) {
    }
}
