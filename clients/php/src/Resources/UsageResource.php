<?php

declare(strict_types=1);

namespace Waypost\Resources;

use Waypost\Generated\Types;
use Waypost\Internal\Caller;

/**
 * What was sent, what it cost, and what never had to go.
 *
 * @phpstan-import-type Usage from Types
 */
final class UsageResource
{
    /** @internal */
    public function __construct(private readonly Caller $caller)
    {
    }

    /**
     * By day or month; by default the last 30 days. `from` and `to` are days, such as `2026-08-01`.
     *
     * @param 'day'|'month'|null $interval
     * @return Usage
     */
    public function get(?string $from = null, ?string $to = null, ?string $interval = null): array
    {
        $query = ['from' => $from, 'to' => $to, 'interval' => $interval];
        return $this->caller->call('getUsage', 'usage.get', query: $query);
    }
}
