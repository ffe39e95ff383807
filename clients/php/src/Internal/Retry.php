<?php

declare(strict_types=1);

namespace Waypost\Internal;

use DateTimeImmutable;

/** When a call is repeated, and after which pause. */
final class Retry
{
    private const IN_PROGRESS = 'idempotency.request_in_progress';
    private const FIRST_DELAY_SECONDS = 0.2;
    private const LONGEST_DELAY_SECONDS = 5.0;
    /** Callers with the same Retry-After come back spread over this part of it. */
    private const SPREAD = 0.2;
    /** The end of the time is kept free for one last attempt. */
    private const LAST_ATTEMPT_SECONDS = 1.0;

    /** Whether to repeat the call with the same key. A 4xx is never repeated, except for a 429 and a request in progress. */
    public static function isAllowed(?int $status, string $code, bool $notSent, Repeat $rule): bool
    {
        if ($status === null) {
            return $rule === Repeat::Always || $notSent;
        }
        if ($status === 429) {
            return true;
        }
        if ($rule === Repeat::IfUntouched) {
            return false;
        }
        return $status >= 500 || ($status === 409 && $code === self::IN_PROGRESS);
    }

    /**
     * The pause before the next attempt, in seconds. `$attempt` counts from 1, `$random` is from 0 to 1. Without a
     * Retry-After it doubles from 0.2 s to 5 s, of which the second half is random. A Retry-After is never undercut.
     */
    public static function delay(int $attempt, ?float $retryAfterSeconds, float $random): float
    {
        if ($retryAfterSeconds !== null) {
            $spread = max(self::FIRST_DELAY_SECONDS, $retryAfterSeconds * self::SPREAD);
            return $retryAfterSeconds + $random * $spread;
        }
        $backoff = min(self::LONGEST_DELAY_SECONDS, self::FIRST_DELAY_SECONDS * 2.0 ** min($attempt - 1, 30));
        return $backoff * (0.5 + $random / 2);
    }

    /**
     * How long to wait when `$left` seconds are left in all, or null if no time is left for another attempt. A pause
     * that would pass the deadline is cut short, so that the call is tried until the end.
     */
    public static function wait(float $delay, float $left, float $total): ?float
    {
        if ($delay < $left) {
            return $delay;
        }
        $latest = $left - min(self::LAST_ATTEMPT_SECONDS, $total / 10);
        return $latest > 0 ? $latest : null;
    }

    /** A Retry-After header, in seconds or as a date, as seconds from `$now`. Null if there is none or it says nothing. */
    public static function parseRetryAfter(?string $header, float $now): ?float
    {
        $text = trim($header ?? '');
        if (preg_match('/\A[0-9]{1,9}\z/', $text) === 1) {
            return (float) $text;
        }
        $date = DateTimeImmutable::createFromFormat('!D, d M Y H:i:s T', $text);
        // A 99th of August is a warning, and a day in November.
        $warnings = DateTimeImmutable::getLastErrors()['warning_count'] ?? 0;
        return $date === false || $warnings > 0 ? null : max(0.0, $date->getTimestamp() - $now);
    }
}
