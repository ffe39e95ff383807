<?php

declare(strict_types=1);

namespace Waypost\Internal;

use JsonException;
use Waypost\Exception\ConnectionException;
use Waypost\Exception\TimeoutException;
use Waypost\Exception\UnexpectedAnswerException;
use Waypost\Exception\WaypostException;

/** What the outcome of an attempt means: an answer, or an exception and whether to repeat the call. */
final class Judge
{
    public static function judge(
        #[\SensitiveParameter] Answered|Unreached $outcome,
        #[\SensitiveParameter] Request $request,
        int $attempt,
        string $host,
        float $timeoutSeconds,
    ): Success|Failure {
        if ($outcome instanceof Unreached) {
            return self::withoutAnswer($outcome, $request, $attempt, $host, $timeoutSeconds);
        }
        $parsed = self::parsed($outcome->body);
        $status = $outcome->status;
        // Only a deletion is answered without a body.
        $isComplete = $parsed !== null || ($request->isDeletion && $outcome->body === '');
        if ($status >= 200 && $status < 300 && $isComplete) {
            return new Success($parsed, $outcome);
        }
        $given = $parsed['error_code'] ?? null;
        $retryAfter = Retry::parseRetryAfter($outcome->headers['retry-after'] ?? null, microtime(true));
        $facts = new ErrorFacts(
            operation: $request->operation,
            errorCode: is_string($given) ? $given : 'client.unexpected_answer',
            attempts: $attempt,
            idempotencyKey: $request->idempotencyKey,
            status: $status,
            requestId: $outcome->headers['x-request-id'] ?? null,
            detail: $parsed['detail'] ?? null,
            retryAfterSeconds: $retryAfter,
        );
        $isOurs = is_string($given) || $status === 429 || $status >= 500;
        $unexpected = "the answer ($status) is not one of Waypost's: is baseUrl the address of the service?";
        $error = $isOurs ? WaypostException::ofAnswer($facts) : new UnexpectedAnswerException($facts, $unexpected);
        return new Failure($error, retryAfterSeconds: $retryAfter, answer: $outcome);
    }

    private static function withoutAnswer(
        Unreached $outcome,
        #[\SensitiveParameter] Request $request,
        int $attempt,
        string $host,
        float $timeoutSeconds,
    ): Failure {
        $code = $outcome->isTimeout ? 'client.timeout' : 'client.connection_failed';
        $facts = new ErrorFacts($request->operation, $code, $attempt, $request->idempotencyKey);
        $error = $outcome->isTimeout
            ? new TimeoutException($facts, sprintf('no answer from %s within %.6g seconds', $host, $timeoutSeconds))
            : new ConnectionException($facts, "the connection to $host failed ({$outcome->reason})");
        return new Failure($error, $outcome->notSent);
    }

    /** @return array<mixed>|null Null for what is no array or object. */
    private static function parsed(#[\SensitiveParameter] string $body): ?array
    {
        try {
            $value = Json::decode($body);
            return is_array($value) ? $value : null;
        } catch (JsonException) {
            return null;
        }
    }
}
