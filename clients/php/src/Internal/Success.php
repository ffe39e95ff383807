<?php

declare(strict_types=1);

namespace Waypost\Internal;

/** The parsed answer, and what was answered. */
final class Success
{
    public function __construct(
        public readonly mixed $result,
        public readonly Answered $answer,
    ) {
    }
}
