<?php

declare(strict_types=1);

namespace Waypost\Exception;

use Waypost\Generated\Types;
use Waypost\Internal\ErrorFacts;

/**
 * A batch that was not sent to its end. `results` are the outcomes until then, `getPrevious()` is what stopped it. Push
 * the same list again with `idempotencyKey`: what is in `results` is replayed, the rest is pushed.
 *
 * @phpstan-import-type BatchItemResult from Types
 */
final class BatchException extends WaypostException
{
    /**
     * The outcomes of the items before the call that failed, in order. They name recipients.
     *
     * @var list<BatchItemResult>
     */
    public readonly array $results;

    /**
     * @internal
     * @param list<BatchItemResult> $results
     */
    public static function after(
        #[\SensitiveParameter] array $results,
        string $idempotencyKey,
        WaypostException $cause,
    ): self {
        $facts = new ErrorFacts(
            operation: 'messages.pushBatch',
            errorCode: $cause->errorCode,
            attempts: $cause->attempts,
            idempotencyKey: $idempotencyKey,
            status: $cause->status,
            requestId: $cause->requestId,
            detail: $cause->detail,
        );
        $error = new self($facts, 'stopped after ' . count($results) . " items: {$cause->getMessage()}", $cause);
        $error->results = $results;
        return $error;
    }
}
