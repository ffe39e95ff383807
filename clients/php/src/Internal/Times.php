<?php

declare(strict_types=1);

namespace Waypost\Internal;

use DateTimeImmutable;
use DateTimeInterface;
use DateTimeZone;

/** Times as the API takes them. */
final class Times
{
    public static function text(DateTimeInterface $time): string
    {
        $utc = DateTimeImmutable::createFromInterface($time)->setTimezone(new DateTimeZone('UTC'));
        return $utc->format('Y-m-d\TH:i:s.v\Z');
    }
}
