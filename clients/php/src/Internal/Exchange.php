<?php

declare(strict_types=1);

namespace Waypost\Internal;

/** One request and its answer. */
interface Exchange
{
    /**
     * @param array<string, string> $headers
     * @param bool $isOnce Whether the request must not go out twice, not even over a connection that was found broken.
     */
    public function send(
        string $method,
        #[\SensitiveParameter] string $url,
        #[\SensitiveParameter] array $headers,
        #[\SensitiveParameter] ?string $body,
        float $timeoutSeconds,
        bool $isOnce,
    ): Answered|Unreached;
}
