<?php

declare(strict_types=1);

namespace Waypost;

use Closure;
use Psr\Log\LoggerInterface;
use ReflectionClass;
use Waypost\Internal\Address;
use Waypost\Internal\Caller;
use Waypost\Internal\CurlExchange;
use Waypost\Internal\Check;
use Waypost\Internal\Settings;
use Waypost\Internal\SystemTime;
use Waypost\Internal\Transport;
use Waypost\Resources\CreditsResource;
use Waypost\Resources\Events;
use Waypost\Resources\Keys;
use Waypost\Resources\Messages;
use Waypost\Resources\Orders;
use Waypost\Resources\Recipients;
use Waypost\Resources\Sandbox;
use Waypost\Resources\Texts;
use Waypost\Resources\UsageResource;
use Waypost\Resources\WebhookEndpoints;

/** The Waypost API. Every method returns what the server answers and throws a WaypostException. */
final class Waypost
{
    /** Pushing updates, and what became of them. */
    public readonly Messages $messages;
    /** Your orders, and what their carriers report. */
    public readonly Orders $orders;
    /** The words of the messages that Waypost writes itself. */
    public readonly Texts $texts;
    /** The feed of events. */
    public readonly Events $events;
    /** API keys. */
    public readonly Keys $keys;
    /** Prepaid credits. */
    public readonly CreditsResource $credits;
    /** The people whom you messaged. */
    public readonly Recipients $recipients;
    /** The addresses that webhooks go to. */
    public readonly WebhookEndpoints $webhookEndpoints;
    /** What was sent, and what it cost. */
    public readonly UsageResource $usage;
    /** For tests against a service with sandbox providers. */
    public readonly Sandbox $sandbox;

    private readonly Transport $transport;

    /**
     * `baseUrl` is the address of the service, such as `https://updates.example.com`, with a path if it has one; by
     * default WAYPOST_BASE_URL. `apiKey` is a key of your business, `way_live_…`; by default WAYPOST_API_KEY. A call is
     * tried for `deadlineSeconds` in all, an attempt for `attemptSeconds`, and repeated `maxRetries` times at most: by
     * default until the deadline. `logger` gets a warning before each repeated attempt, `onRetry` a notice, for your
     * metrics. `sandboxKey` opens the sandbox of a service on another machine. `time` is for tests.
     *
     * @param (callable(RetryNotice): mixed)|null $onRetry
     */
    public function __construct(
        ?string $baseUrl = null,
        #[\SensitiveParameter] ?string $apiKey = null,
        float $deadlineSeconds = 60,
        float $attemptSeconds = 15,
        ?int $maxRetries = null,
        ?LoggerInterface $logger = null,
        ?callable $onRetry = null,
        #[\SensitiveParameter] ?string $sandboxKey = null,
        ?Time $time = null,
    ) {
        $givenKey = $apiKey ?? self::variable('WAYPOST_API_KEY');
        $this->begin(new Settings(
            address: Address::parse($baseUrl ?? self::variable('WAYPOST_BASE_URL')),
            apiKey: Check::apiKey('an apiKey, or the variable WAYPOST_API_KEY,', $givenKey),
            sandboxKey: $sandboxKey === null ? null : Check::apiKey('the sandboxKey', $sandboxKey),
            deadlineSeconds: $deadlineSeconds,
            attemptSeconds: $attemptSeconds,
            maxRetries: $maxRetries,
            logger: $logger,
            onRetry: $onRetry === null ? null : Closure::fromCallable($onRetry),
            time: $time ?? new SystemTime(),
            exchange: new CurlExchange(),
        ));
    }

    /** The same client with other limits, for some calls: `$waypost->withOptions(deadlineSeconds: 5)->credits->get()`. */
    public function withOptions(
        ?float $deadlineSeconds = null,
        ?float $attemptSeconds = null,
        ?int $maxRetries = null,
    ): self {
        return self::of($this->transport->settings->with($deadlineSeconds, $attemptSeconds, $maxRetries));
    }

    /**
     * What a call returns, with its request id, status, headers, and whether it was replayed:
     * `$waypost->withResponse(fn (Waypost $waypost) => $waypost->messages->push($push, 'order-1001-shipped'))`.
     * Make the call with the client that is passed.
     *
     * @template Result
     * @param callable(self): Result $call
     * @return WaypostResponse<Result>
     */
    public function withResponse(callable $call): WaypostResponse
    {
        $noting = self::of($this->transport->settings);
        $result = $call($noting);
        $answer = $noting->transport->latest
            ?? throw new \LogicException('withResponse needs a function that makes one call, such as messages->push');
        $headers = $answer->headers;
        $isReplayed = ($headers['idempotent-replayed'] ?? null) === 'true';
        return new WaypostResponse($result, $answer->status, $headers['x-request-id'] ?? null, $isReplayed, $headers);
    }

    /** @return array<string, mixed> Without its keys. */
    public function __debugInfo(): array
    {
        return $this->transport->settings->__debugInfo();
    }

    private static function of(Settings $settings): self
    {
        $client = (new ReflectionClass(self::class))->newInstanceWithoutConstructor();
        $client->begin($settings);
        return $client;
    }

    private function begin(Settings $settings): void
    {
        $this->transport = new Transport($settings);
        $caller = new Caller($this->transport);
        $this->messages = new Messages($caller);
        $this->orders = new Orders($caller);
        $this->texts = new Texts($caller);
        $this->events = new Events($caller);
        $this->keys = new Keys($caller);
        $this->credits = new CreditsResource($caller);
        $this->recipients = new Recipients($caller);
        $this->webhookEndpoints = new WebhookEndpoints($caller);
        $this->usage = new UsageResource($caller);
        $this->sandbox = new Sandbox($this->transport);
    }

    /** A `.env` file of Symfony or Laravel reaches `$_ENV`, and not always `getenv`. */
    private static function variable(string $name): ?string
    {
        $value = $_ENV[$name] ?? getenv($name);
        return is_string($value) ? $value : null;
    }
}
