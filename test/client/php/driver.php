<?php

declare(strict_types=1);

/*
 * The PHP client for tests in TypeScript: a line of JSON in is a call, a line of JSON out is its outcome. Calls run at the same
 * time, each in a process of its own. The names of methods, arguments and errors are those of the Python client.
 */

use Waypost\Internal\Answered;
use Waypost\Internal\Caller;
use Waypost\Internal\Exchange;
use Waypost\Internal\Json;
use Waypost\Internal\Settings;
use Waypost\Internal\SystemTime;
use Waypost\Internal\Unreached;
use Waypost\RetryNotice;
use Waypost\Time;
use Waypost\Waypost;
use Waypost\WaypostResponse;
use Waypost\Webhooks;

require __DIR__ . '/autoload.php';

/** What the server answered, beside what the client makes of it. */
final class Recorder implements Exchange
{
    /** @var list<array<string, mixed>> */
    public static array $answers = [];

    public function __construct(private readonly Exchange $exchange)
    {
    }

    public function send(
        string $method,
        string $url,
        array $headers,
        ?string $body,
        float $timeoutSeconds,
        bool $isOnce,
    ): Answered|Unreached {
        $outcome = $this->exchange->send($method, $url, $headers, $body, $timeoutSeconds, $isOnce);
        if ($outcome instanceof Answered) {
            self::$answers[] = [...get_object_vars($outcome), 'headers' => (object) $outcome->headers];
        }
        return $outcome;
    }
}

final class ShortPauses implements Time
{
    public function __construct(private readonly float $factor, private readonly Time $time = new SystemTime())
    {
    }

    public function now(): float
    {
        return $this->time->now();
    }

    public function sleep(float $seconds): void
    {
        $this->time->sleep($seconds / $this->factor);
    }

    public function random(): float
    {
        return $this->time->random();
    }
}

function camel(string $name): string
{
    return lcfirst(strtr(ucwords(rtrim($name, '_'), '_'), ['_' => '']));
}

function snake(string $name): string
{
    return strtolower((string) preg_replace('/[A-Z]/', '_$0', $name));
}

/** Objects as arrays, but for those that PHP would take for lists. */
function given(mixed $value): mixed
{
    if (is_array($value)) {
        return array_map(given(...), $value);
    }
    if (!$value instanceof stdClass) {
        return $value;
    }
    $fields = array_map(given(...), (array) $value);
    return array_is_list($fields) ? (object) $fields : $fields;
}

/** @return array<string, mixed> */
function named(object $kwargs): array
{
    $args = (array) $kwargs;
    return array_combine(array_map(camel(...), array_keys($args)), array_map(given(...), $args));
}

/** @param list<string> $retries */
function clientOf(stdClass $call, array &$retries): Waypost
{
    $client = new Waypost(
        $call->base_url,
        $call->api_key,
        ...named($call->options ?? new stdClass()),
        time: new ShortPauses((float) (getenv('DRIVER_PAUSES') ?: 1)),
        onRetry: static function (RetryNotice $notice) use (&$retries): void {
            $retries[] = snake($notice->operation) . " $notice->attempt {$notice->error->errorCode}";
        },
    );
    $settings = Closure::bind(fn (): Settings => $client->transport->settings, null, Waypost::class)();
    $recorded = new Settings(...[...get_object_vars($settings), 'exchange' => new Recorder($settings->exchange)]);
    return Closure::bind(fn (): Waypost => Waypost::of($recorded), null, Waypost::class)();
}

function started(Waypost $client, stdClass $call): mixed
{
    $kwargs = named($call->kwargs ?? new stdClass());
    if (!isset($call->operation)) {
        [$resource, $method] = array_map(camel(...), explode('.', $call->method));
        return $client->{$resource}->{$method}(...array_map(given(...), $call->args ?? []), ...$kwargs);
    }
    $id = camel($call->operation);
    $body = isset($kwargs['body']) ? (array) $kwargs['body'] : null;
    // What PHP's arrays cannot say is refused like what the client refuses: it goes out by hand.
    if ($body !== null && json_encode(json_decode(Json::encode($body))) !== json_encode($call->kwargs->body)) {
        throw new InvalidArgumentException('the client would write this body in another way');
    }
    return (new Caller(Closure::bind(fn () => $client->transport, null, Waypost::class)()))->call(
        $id,
        $call->operation,
        (array) $kwargs['path'],
        (array) $kwargs['query'],
        $body,
        $kwargs['idempotencyKey'] ?? null,
        isDeletion: in_array($id, ['revokeKey', 'deleteWebhookEndpoint'], true),
    );
}

function collected(mixed $result, stdClass $call): mixed
{
    if ($result instanceof WaypostResponse) {
        return get_object_vars($result) + ['request_id' => $result->requestId];
    }
    if (!$result instanceof Traversable) {
        return $result;
    }
    $items = [];
    foreach (($call->pages ?? false) ? $result->pages() : $result as $item) {
        $items[] = $item;
        if (count($items) === ($call->take ?? null)) {
            break;
        }
    }
    return property_exists($result, 'cursor') ? ['items' => $items, 'cursor' => $result->cursor] : $items;
}

/** @return array<string, mixed> */
function told(Throwable $error): array
{
    $told = [];
    foreach (get_object_vars($error) as $name => $value) {
        $told[$name === 'errorCode' ? 'code' : snake($name)] = $value;
    }
    $names = [get_class($error), ...array_values(class_parents($error))];
    $names = preg_replace(['/.*\\\\/', '/^(InvalidArgument|Json)/', '/Exception$/'], ['', 'Value', 'Error'], $names);
    return [
        ...$told,
        'fields' => $error->fields ?? [],
        'name' => $names[0],
        'names' => $names,
        'message' => $error->getMessage(),
        'printed' => $error . print_r($error, true),
    ];
}

/** @return array<string, mixed> */
function outcomeOf(string $line): array
{
    $retries = [];
    try {
        $call = json_decode($line, flags: JSON_THROW_ON_ERROR);
        $result = match (true) {
            isset($call->verify) => verified($call->verify),
            isset($call->sign) => Webhooks::sign(...named($call->sign)),
            $call->with_response ?? false => clientOf($call, $retries)->withResponse(
                static fn (Waypost $client): mixed => started($client, $call),
            ),
            default => started(clientOf($call, $retries), $call),
        };
        $outcome = ['result' => collected($result, $call)];
    } catch (Throwable $error) {
        $outcome = ['error' => told($error)];
    }
    return [...$outcome, 'retries' => $retries, 'answers' => Recorder::$answers];
}

function verified(stdClass $given): mixed
{
    return Webhooks::verify(given($given->body), (array) $given->headers, $given->secret, ...named($given->options));
}

// A warning of PHP is a fault of the client.
set_error_handler(static fn (int $kind, string $says): bool => throw new ErrorException($says, 0, $kind));
pcntl_signal(SIGCHLD, SIG_IGN);
posix_setsid();
while (($line = fgets(STDIN)) !== false) {
    if (pcntl_fork() !== 0) {
        continue;
    }
    // It stands last, and is there also where PHP cannot read the rest.
    $id = (int) preg_replace('/.*"id":(\d+)}\s*\z/s', '$1', $line);
    $outcome = ['id' => $id, ...outcomeOf($line)];
    $flags = JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE;
    // Opened here: a lock of the file that all share would be held by all at once.
    $lock = fopen(__FILE__, 'r');
    flock($lock, LOCK_EX);
    fwrite(STDOUT, json_encode($outcome, $flags) . "\n");
    exit;
}
// The calls that are still under way, too.
posix_kill(0, SIGKILL);
