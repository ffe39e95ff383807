<?php

declare(strict_types=1);

namespace Waypost\Internal;

use Waypost\Time;

/** The passing of time on this machine. */
final class SystemTime implements Time
{
    private const NANOSECONDS = 1_000_000_000;

    public function now(): float
    {
        return hrtime(true) / self::NANOSECONDS;
    }

    public function sleep(float $seconds): void
    {
        $endsAt = $this->now() + $seconds;
        // A signal cuts a sleep short.
        while (($left = $endsAt - $this->now()) > 0) {
            time_nanosleep((int) $left, (int) (fmod($left, 1) * self::NANOSECONDS));
        }
    }

    public function random(): float
    {
        return random_int(0, PHP_INT_MAX) / PHP_INT_MAX;
    }
}
