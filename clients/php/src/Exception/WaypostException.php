<?php

declare(strict_types=1);

namespace Waypost\Exception;

use RuntimeException;
use Throwable;
use Waypost\Internal\ErrorFacts;

/**
 * A call that did not succeed. Every other exception of a call extends it. Its message holds no secret, address, number
 * or text: those can be in `detail`.
 */
class WaypostException extends RuntimeException
{
    /** The error code to branch on, such as `message.not_found`; `client.…` where the server did not answer one. */
    public readonly string $errorCode;
    /** The HTTP status; null without an answer. */
    public readonly ?int $status;
    /** Names the request in the server's logs; null without an answer. */
    public readonly ?string $requestId;
    /** The server's words: a sentence, or the list of faults of a validation. It can repeat what was sent. */
    public readonly mixed $detail;
    /** How many requests were made. */
    public readonly int $attempts;
    /** The key of a write: repeat the call with it, and nothing happens twice. Null for a read. */
    public readonly ?string $idempotencyKey;

    /** @internal */
    public function __construct(#[\SensitiveParameter] ErrorFacts $facts, string $says, ?Throwable $previous = null)
    {
        parent::__construct("{$facts->operation}: $says", 0, $previous);
        $this->errorCode = $facts->errorCode;
        $this->status = $facts->status;
        $this->requestId = $facts->requestId;
        $this->detail = $facts->detail;
        $this->attempts = $facts->attempts;
        $this->idempotencyKey = $facts->idempotencyKey;
    }

    /**
     * The exception of the class that fits an error answer.
     *
     * @internal
     */
    public static function ofAnswer(#[\SensitiveParameter] ErrorFacts $facts): self
    {
        $status = (int) $facts->status;
        $sentence = is_string($facts->detail) ? ": {$facts->detail}" : '';
        $says = "$status {$facts->errorCode}$sentence";
        return match (true) {
            $status >= 500 => new ServerException($facts, $says),
            $facts->errorCode === 'idempotency.key_reused' => new IdempotencyKeyReusedException($facts, $says),
            $facts->errorCode === 'idempotency.request_in_progress' => new RequestInProgressException($facts, $says),
            $status === 401 => new AuthenticationException($facts, $says),
            $status === 403 => new PermissionException($facts, $says),
            $status === 404 => new NotFoundException($facts, $says),
            $status === 409 => new ConflictException($facts, $says),
            $status === 410 => new CursorExpiredException($facts, $says),
            $status === 413 => new RequestTooLargeException($facts, $says),
            $status === 422 => new ValidationException($facts, $says),
            $status === 429 => new RateLimitException($facts, $says),
            default => new RequestException($facts, $says),
        };
    }
}
