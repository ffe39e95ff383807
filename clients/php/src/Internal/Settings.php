<?php

declare(strict_types=1);

namespace Waypost\Internal;

use Closure;
use InvalidArgumentException;
use Psr\Log\LoggerInterface;
use Waypost\RetryNotice;
use Waypost\Time;

/** What holds for every call of a client. It does not show its keys. */
final class Settings
{
    public function __construct(
        public readonly Address $address,
        #[\SensitiveParameter] public readonly string $apiKey,
        #[\SensitiveParameter] public readonly ?string $sandboxKey,
        public readonly float $deadlineSeconds,
        public readonly float $attemptSeconds,
        public readonly ?int $maxRetries,
        public readonly ?LoggerInterface $logger,
        /** @var (Closure(RetryNotice): mixed)|null */
        public readonly ?Closure $onRetry,
        public readonly Time $time,
        public readonly Exchange $exchange,
    ) {
        foreach (['deadlineSeconds' => $deadlineSeconds, 'attemptSeconds' => $attemptSeconds] as $name => $seconds) {
            // A NaN would never be over.
            if (is_nan($seconds) || $seconds <= 0) {
                throw new InvalidArgumentException("$name must be more than 0");
            }
        }
        if ($maxRetries !== null && $maxRetries < 0) {
            throw new InvalidArgumentException('maxRetries must be 0 or more');
        }
    }

    /** The same with other limits, as far as they are not null. */
    public function with(?float $deadlineSeconds, ?float $attemptSeconds, ?int $maxRetries): self
    {
        return new self(
            $this->address,
            $this->apiKey,
            $this->sandboxKey,
            $deadlineSeconds ?? $this->deadlineSeconds,
            $attemptSeconds ?? $this->attemptSeconds,
            $maxRetries ?? $this->maxRetries,
            $this->logger,
            $this->onRetry,
            $this->time,
            $this->exchange,
        );
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['host' => $this->address->authority];
    }
}
