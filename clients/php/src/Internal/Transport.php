<?php

declare(strict_types=1);

namespace Waypost\Internal;

use Waypost\RetryNotice;

/** Sends requests until they are answered, refused, or out of time. */
final class Transport
{
    /** The head of the latest answer, for `withResponse`. */
    public ?Answered $latest = null;

    public function __construct(public readonly Settings $settings)
    {
    }

    /** @return array<mixed>|null The parsed answer; null after a deletion. */
    public function send(#[\SensitiveParameter] Request $request): ?array
    {
        $settings = $this->settings;
        $time = $settings->time;
        $total = $request->isEndless ? INF : $settings->deadlineSeconds;
        $attemptSeconds = $request->attemptSeconds ?? $settings->attemptSeconds;
        $endsAt = $time->now() + $total;
        $isUncertain = false;
        for ($attempt = 1; true; $attempt += 1) {
            $timeout = max(0.001, min($attemptSeconds, $endsAt - $time->now()));
            $judged = Judge::judge(
                $this->attempt($request, $timeout),
                $request,
                $attempt,
                $settings->address->authority,
                $timeout,
            );
            if ($judged instanceof Success) {
                return $this->resultOf($judged);
            }
            $error = $judged->error;
            if ($request->isDeletion && $isUncertain && $error->status === 404 && $judged->answer !== null) {
                return $this->resultOf(new Success(null, $judged->answer));
            }
            $isUncertain = $isUncertain || $error->status === null || $error->status >= 500;
            $isLast = !$request->isEndless && $attempt > ($settings->maxRetries ?? INF);
            if ($isLast || !Retry::isAllowed($error->status, $error->errorCode, $judged->notSent, $request->repeat)) {
                throw $error;
            }
            $delay = Retry::delay($attempt, $judged->retryAfterSeconds, $time->random());
            $pause = Retry::wait($delay, $endsAt - $time->now(), $total);
            if ($pause === null) {
                throw $error;
            }
            $this->report(new RetryNotice($request->operation, $attempt, $error, $pause));
            $time->sleep($pause);
        }
    }

    private function attempt(#[\SensitiveParameter] Request $request, float $timeoutSeconds): Answered|Unreached
    {
        $headers = array_filter([
            'Authorization' => $request->authorization === null ? null : "Bearer {$request->authorization}",
            'Content-Type' => $request->body === null ? null : 'application/json',
            'Idempotency-Key' => $request->idempotencyKey,
        ], static fn (?string $value): bool => $value !== null);
        return $this->settings->exchange->send(
            $request->method,
            $this->settings->address->url . $request->path,
            $headers,
            $request->body,
            $timeoutSeconds,
            $request->repeat === Repeat::IfUntouched || $this->settings->maxRetries === 0,
        );
    }

    /** @return array<mixed>|null */
    private function resultOf(Success $success): ?array
    {
        $this->latest = new Answered($success->answer->status, $success->answer->headers, '');
        return $success->result;
    }

    /** Only what names no person. */
    private function report(RetryNotice $notice): void
    {
        $this->settings->logger?->warning('waypost call repeated', [
            'method' => $notice->operation,
            'attempt' => $notice->attempt,
            'code' => $notice->error->errorCode,
            'status' => $notice->error->status,
            'request_id' => $notice->error->requestId,
        ]);
        if ($this->settings->onRetry !== null) {
            ($this->settings->onRetry)($notice);
        }
    }
}
