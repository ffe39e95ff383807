<?php

declare(strict_types=1);

namespace Psr\Log;

/** What the client uses of PSR-3, which it does not require. */
interface LoggerInterface
{
    /** @param array<mixed> $context */
    public function warning(string|\Stringable $message, array $context = []): void;
}
