<?php

declare(strict_types=1);

namespace Waypost\Tests;

use Waypost\Internal\Answered;
use Waypost\Internal\Exchange;
use Waypost\Internal\Unreached;

/** A server that answers what it is given, the last of it again and again. */
final class ScriptedExchange implements Exchange
{
    /** @var list<array{method: string, url: string, headers: array<string, string>, body: ?string, isOnce: bool}> */
    public array $requests = [];
    /** @var list<Answered|Unreached> */
    private array $answers;

    public function __construct(Answered|Unreached ...$answers)
    {
        $this->answers = $answers;
    }

    public function send(
        string $method,
        string $url,
        array $headers,
        ?string $body,
        float $timeoutSeconds,
        bool $isOnce,
    ): Answered|Unreached {
        $this->requests[] = compact('method', 'url', 'headers', 'body', 'isOnce');
        return count($this->answers) > 1 ? array_shift($this->answers) : $this->answers[0];
    }
}
