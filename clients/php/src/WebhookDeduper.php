<?php

declare(strict_types=1);

namespace Waypost;

/**
 * Remembers which events were processed, since a webhook can arrive more than once. Implement it on your database, in
 * the transaction of your own work, where that matters (`examples/pdo.php`); the one here is for a single process.
 */
interface WebhookDeduper
{
    /** True for the first who claims this id, false for everyone after. */
    public function claim(string $eventId): bool;

    /**
     * Gives the id back, so that the next delivery is processed. Does nothing where the claim is part of a transaction
     * of yours, which ends without it when the processing fails.
     */
    public function release(string $eventId): void;
}
