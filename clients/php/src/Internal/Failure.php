<?php

declare(strict_types=1);

namespace Waypost\Internal;

use Waypost\Exception\WaypostException;

/** How an attempt failed, and the exception to throw if it was the last one. */
final class Failure
{
    public function __construct(
        public readonly WaypostException $error,
        /** Whether no byte of the request went out. */
        public readonly bool $notSent = false,
        public readonly ?float $retryAfterSeconds = null,
        public readonly ?Answered $answer = null,
    ) {
    }
}
