<?php

declare(strict_types=1);

namespace Waypost;

use Closure;

/**
 * A WebhookDeduper in the memory of this process. It forgets everything when the process ends, which under PHP-FPM is
 * with the request; the oldest of more than `max` ids; and an id after `keptSeconds`: by default a day, which is longer
 * than any retry takes.
 */
final class InMemoryDeduper implements WebhookDeduper
{
    private const KEPT_SECONDS = 24 * 60 * 60;

    /** @var array<string, int> */
    private array $claimedAt = [];
    private readonly Closure $now;

    /** @param (callable(): int)|null $now The time in seconds. By default this machine's. */
    public function __construct(
        private readonly int $max = 10_000,
        private readonly int $keptSeconds = self::KEPT_SECONDS,
        ?callable $now = null,
    ) {
        $this->now = Closure::fromCallable($now ?? time(...));
    }

    /** True for the first who claims this id, false for everyone after. */
    public function claim(string $eventId): bool
    {
        $now = ($this->now)();
        // An array keeps the order of insertion, so the oldest are in front.
        foreach ($this->claimedAt as $id => $at) {
            $hasRoom = count($this->claimedAt) < $this->max || isset($this->claimedAt[$eventId]);
            if ($now - $at < $this->keptSeconds && $hasRoom) {
                break;
            }
            unset($this->claimedAt[$id]);
        }
        if (isset($this->claimedAt[$eventId])) {
            return false;
        }
        $this->claimedAt[$eventId] = $now;
        return true;
    }

    /** Gives the id back, so that the next delivery is processed. */
    public function release(string $eventId): void
    {
        unset($this->claimedAt[$eventId]);
    }
}
