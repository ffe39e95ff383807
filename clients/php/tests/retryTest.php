<?php

declare(strict_types=1);

use Waypost\Internal\Repeat;
use Waypost\Internal\Retry;

test('which failures are repeated', static function (): void {
    $table = [
        [null, 'client.timeout', false, true, false],
        [null, 'client.connection_failed', true, true, true],
        [429, 'x', false, true, true],
        [500, 'x', false, true, false],
        [503, 'x', false, true, false],
        [409, 'idempotency.request_in_progress', false, true, false],
        [200, 'client.unexpected_answer', false, false, false],
        [302, 'client.unexpected_answer', false, false, false],
    ];
    foreach (array_diff(range(400, 499), [429]) as $status) {
        $table[] = [$status, 'x', false, false, false];
    }
    foreach ($table as [$status, $code, $notSent, $always, $ifUntouched]) {
        same($always, Retry::isAllowed($status, $code, $notSent, Repeat::Always));
        same($ifUntouched, Retry::isAllowed($status, $code, $notSent, Repeat::IfUntouched));
    }
});

test('the pause grows and never undercuts the server', static function (): void {
    $table = [[1, 0, 0.1], [1, 1, 0.2], [2, 1, 0.4], [6, 1, 5.0], [6, 0, 2.5], [1000, 1, 5.0]];
    foreach ($table as [$attempt, $random, $expected]) {
        same($expected, Retry::delay($attempt, null, $random));
    }
    foreach ([0, 0.5, 7, 600] as $asked) {
        foreach ([0, 0.5, 1] as $random) {
            $delay = Retry::delay(3, $asked, $random);
            same(true, $asked <= $delay && $delay <= $asked + max(0.2, $asked * 0.2));
        }
    }
});

test('the end of the time is kept for a last attempt', static function (): void {
    $table = [[0.2, 60, 0.2], [90, 60, 59.0], [5, 5, 4.0], [2, 0.9, null], [2, -0.005, null], [5, INF, 5.0]];
    foreach ($table as [$delay, $left, $expected]) {
        same($expected, Retry::wait($delay, $left, 60));
    }
});

test('Retry-After is in seconds or a date', static function (): void {
    $now = 1_787_217_300;
    $dateOf = static fn (int $seconds): string => gmdate('D, d M Y H:i:s \G\M\T', $seconds);
    $table = [['7', 7.0], [' 7 ', 7.0], ['0', 0.0], [$dateOf($now + 30), 30.0], [$dateOf($now - 30), 0.0]];
    foreach (['soon', '-1', '1.5', '', null, '٧', 'Thu, 99 Aug 2026 09:15:30 GMT'] as $strange) {
        $table[] = [$strange, null];
    }
    foreach ($table as [$header, $expected]) {
        same($expected, Retry::parseRetryAfter($header, $now));
    }
});
