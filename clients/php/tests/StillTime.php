<?php

declare(strict_types=1);

namespace Waypost\Tests;

use Waypost\Time;

/** Passes only by sleeping. */
final class StillTime implements Time
{
    /** @var list<float> */
    public array $slept = [];

    public function now(): float
    {
        return array_sum($this->slept);
    }

    public function sleep(float $seconds): void
    {
        $this->slept[] = $seconds;
    }

    public function random(): float
    {
        return 1;
    }
}
