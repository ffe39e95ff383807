<?php

declare(strict_types=1);

namespace Waypost\Internal;

/** The parsed answer, and what was answered. */
final class Success
{
    public function __construct(
        /** @var array<mixed>|null Null after a deletion. */
        public readonly ?array $result,
        public readonly Answered $answer,
    ) {
    }
}
