<?php

declare(strict_types=1);

use Waypost\WebhookDeduper;
use Waypost\Webhooks;

/*
 * Once for all processes, and in one transaction with what `$handle` writes: a failure leaves neither. First, once:
 * create table waypost_events (id text primary key, at timestamp not null default current_timestamp);
 */
final class PdoDeduper implements WebhookDeduper
{
    public function __construct(private readonly PDO $pdo)
    {
    }

    public function claim(string $eventId): bool
    {
        // MySQL says `insert ignore into waypost_events (id) values (?)`, and wants a varchar.
        $insert = $this->pdo->prepare('insert into waypost_events (id) values (?) on conflict do nothing');
        $insert->execute([$eventId]);
        return $insert->rowCount() === 1;
    }

    public function release(string $eventId): void
    {
        // The rollback does it.
    }
}

function processInTransaction(PDO $pdo, array $event, callable $handle): bool
{
    $pdo->beginTransaction();
    try {
        $isFirst = Webhooks::processOnce(new PdoDeduper($pdo), $event, $handle);
        $pdo->commit();
        return $isFirst;
    } catch (Throwable $error) {
        if ($pdo->inTransaction()) {
            $pdo->rollBack();
        }
        throw $error;
    }
}
