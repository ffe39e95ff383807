<?php

declare(strict_types=1);

namespace Waypost;

/** The passing of time, which a test can replace. */
interface Time
{
    /** Seconds that only grow. */
    public function now(): float;

    public function sleep(float $seconds): void;

    /** From 0 to 1. */
    public function random(): float;
}
