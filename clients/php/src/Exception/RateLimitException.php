<?php

declare(strict_types=1);

namespace Waypost\Exception;

use Throwable;
use Waypost\Internal\ErrorFacts;

/** 429: until the deadline there were more calls than the limit allows. */
final class RateLimitException extends WaypostException
{
    /** How long the server asked to wait; null if it did not say. */
    public readonly ?float $retryAfterSeconds;

    /** @internal */
    public function __construct(#[\SensitiveParameter] ErrorFacts $facts, string $says, ?Throwable $previous = null)
    {
        parent::__construct($facts, $says, $previous);
        $this->retryAfterSeconds = $facts->retryAfterSeconds;
    }
}
