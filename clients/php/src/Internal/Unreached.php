<?php

declare(strict_types=1);

namespace Waypost\Internal;

/** No answer: the connection broke, none was made, or the time was over. */
final class Unreached
{
    public function __construct(
        public readonly bool $isTimeout,
        /** Whether no byte of the request went out. */
        public readonly bool $notSent,
        /** What libcurl calls it. It names no address. */
        public readonly string $reason,
    ) {
    }
}
