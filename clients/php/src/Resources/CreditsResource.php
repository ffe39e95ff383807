<?php

declare(strict_types=1);

namespace Waypost\Resources;

use Waypost\Generated\Types;
use Waypost\Internal\Caller;

/**
 * Prepaid credits.
 *
 * @phpstan-import-type Credits from Types
 */
final class CreditsResource
{
    /** @internal */
    public function __construct(private readonly Caller $caller)
    {
    }

    /**
     * The balance.
     *
     * @return Credits
     */
    public function get(): array
    {
        return $this->caller->call('getCredits', 'credits.get');
    }
}
