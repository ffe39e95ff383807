<?php

declare(strict_types=1);

namespace Waypost\Exception;

use RuntimeException;

/** A request that did not come from Waypost, or not as it was sent. Answer it with 400. */
final class WebhookVerificationException extends RuntimeException
{
    /**
     * @internal
     */
    public function __construct(
        /** @var 'body_not_raw'|'header_missing'|'header_malformed'|'signature_mismatch'|'timestamp_outside_tolerance'|'body_not_an_event' Why, to branch on. */
        public readonly string $errorCode,
        string $says,
    ) {
        parent::__construct($says);
    }
}
