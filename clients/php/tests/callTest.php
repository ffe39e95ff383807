<?php

declare(strict_types=1);

use Psr\Log\LoggerInterface;
use Waypost\Exception\AuthenticationException;
use Waypost\Exception\BatchException;
use Waypost\Exception\ConflictException;
use Waypost\Exception\ConnectionException;
use Waypost\Exception\CursorExpiredException;
use Waypost\Exception\IdempotencyKeyReusedException;
use Waypost\Exception\NotFoundException;
use Waypost\Exception\PermissionException;
use Waypost\Exception\RateLimitException;
use Waypost\Exception\RequestException;
use Waypost\Exception\RequestInProgressException;
use Waypost\Exception\RequestTooLargeException;
use Waypost\Exception\ServerException;
use Waypost\Exception\UnexpectedAnswerException;
use Waypost\Exception\ValidationException;
use Waypost\Exception\WaypostException;
use Waypost\Internal\Address;
use Waypost\Internal\Answered;
use Waypost\Internal\Exchange;
use Waypost\Internal\Settings;
use Waypost\Internal\Unreached;
use Waypost\Tests\ScriptedExchange;
use Waypost\Tests\StillTime;
use Waypost\Time;
use Waypost\Waypost;

require __DIR__ . '/LoggerInterface.php';
require __DIR__ . '/ScriptedExchange.php';
require __DIR__ . '/StillTime.php';

function clientOf(Exchange $exchange, Time $time = new StillTime(), mixed ...$options): Waypost
{
    $settings = new Settings(...$options + [
        'address' => Address::parse('https://updates.example.com/way/api/v1'),
        'apiKey' => 'way_live_secret',
        'sandboxKey' => 'sandbox_secret',
        'deadlineSeconds' => 60,
        'attemptSeconds' => 15,
        'maxRetries' => null,
        'logger' => null,
        'onRetry' => null,
        'time' => $time,
        'exchange' => $exchange,
    ]);
    return Closure::bind(static fn (): Waypost => Waypost::of($settings), null, Waypost::class)();
}

/** @param array<string, string> $headers */
function answer(int $status, mixed $body = new stdClass(), array $headers = []): Answered
{
    return new Answered($status, $headers, is_string($body) ? $body : json_encode($body, JSON_THROW_ON_ERROR));
}

const PUSH = ['recipient_email' => 'ann@example.com', 'subject' => 'Order #1001', 'body' => 'It has shipped.'];
const LOST = new Unreached(false, false, 'Connection reset');

test('a call is repeated with the same key and body until it is answered', static function (): void {
    $inProgress = answer(409, ['error_code' => 'idempotency.request_in_progress']);
    foreach ([LOST, answer(429), answer(500), answer(502, '<h1>Bad</h1>'), $inProgress] as $fault) {
        $exchange = new ScriptedExchange($fault, $fault, answer(201, ['id' => 'm1']));
        $notices = [];
        $note = static function ($notice) use (&$notices): void {
            $notices[] = "$notice->operation $notice->attempt";
        };
        same(['id' => 'm1'], clientOf($exchange, onRetry: $note)->messages->push(PUSH));
        same(['messages.push 1', 'messages.push 2'], $notices);
        same(3, count($exchange->requests));
        same([$exchange->requests[0]], array_values(array_unique($exchange->requests, SORT_REGULAR)));
        same(1, preg_match('/\A[0-9a-f]{32}\z/', $exchange->requests[0]['headers']['Idempotency-Key']));
        same('https://updates.example.com/way/api/v1/messages', $exchange->requests[0]['url']);
    }
});

test('the deadline ends a call, and Retry-After is kept within it', static function (): void {
    $time = new StillTime();
    $exchange = new ScriptedExchange(answer(503, ['error_code' => 'common.unavailable']));
    $error = fails(ServerException::class, '503', static fn () => clientOf($exchange, $time)->credits->get());
    same([0.2, 0.4, 0.8, 1.6, 3.2, 5.0], array_slice($time->slept, 0, 6));
    same(true, $time->now() >= 59 && $time->now() <= 60);
    same(count($exchange->requests), $error->attempts);
    $time = new StillTime();
    $late = new ScriptedExchange(answer(429, headers: ['retry-after' => '3600']));
    $error = fails(RateLimitException::class, '429', static fn () => clientOf($late, $time)->credits->get());
    same([59.0], $time->slept);
    same(3600.0, $error->retryAfterSeconds);
});

test('maxRetries ends a call sooner', static function (): void {
    foreach ([0, 2] as $most) {
        $exchange = new ScriptedExchange(answer(503));
        $client = clientOf($exchange)->withOptions(maxRetries: $most);
        fails(ServerException::class, '', static fn () => $client->credits->get());
        same($most + 1, count($exchange->requests));
        same([$most === 0], array_unique(array_column($exchange->requests, 'isOnce')));
    }
});

test('a write that the server cannot recognise is repeated only if it had no effect', static function (): void {
    $creations = [
        static fn (Waypost $client) => $client->keys->create(),
        static fn (Waypost $client) => $client->webhookEndpoints->create(['url' => 'https://a.example']),
        static fn (Waypost $client) => $client->webhookEndpoints->test('e1'),
        static fn (Waypost $client) => $client->sandbox->open('m1'),
    ];
    foreach ($creations as $create) {
        foreach ([answer(429), new Unreached(true, true, 'Timeout')] as $untouched) {
            same(['id' => 'x'], $create(clientOf(new ScriptedExchange($untouched, answer(201, ['id' => 'x'])))));
        }
        foreach ([answer(503), LOST] as $uncertain) {
            $exchange = new ScriptedExchange($uncertain, answer(201));
            try {
                $create(clientOf($exchange));
                throw new RuntimeException('it was repeated');
            } catch (WaypostException) {
                same([true], array_column($exchange->requests, 'isOnce'));
            }
        }
    }
});

test('a deletion whose answer was lost counts as done', static function (): void {
    $gone = answer(404, ['error_code' => 'key.not_found', 'detail' => 'No such key.']);
    clientOf(new ScriptedExchange(LOST, $gone))->keys->revoke('k1');
    $revoke = static fn () => clientOf(new ScriptedExchange($gone))->keys->revoke('k1');
    fails(NotFoundException::class, 'keys.revoke: 404 key.not_found: No such key.', $revoke);
    $clear = static fn () => clientOf(new ScriptedExchange(LOST, $gone))->recipients->clearPhone('ann@example.com');
    fails(NotFoundException::class, '', $clear);
});

test('each answer has its exception with every fact', static function (): void {
    $table = [
        [400, 'common.malformed_request', RequestException::class],
        [401, 'business.invalid_api_key', AuthenticationException::class],
        [403, 'key.not_permitted', PermissionException::class],
        [404, 'message.not_found', NotFoundException::class],
        [409, 'sms.already_sent', ConflictException::class],
        [409, 'idempotency.key_reused', IdempotencyKeyReusedException::class],
        [409, 'idempotency.request_in_progress', RequestInProgressException::class],
        [410, 'events.cursor_expired', CursorExpiredException::class],
        [413, 'request.too_large', RequestTooLargeException::class],
        [422, 'sms.phone_invalid', ValidationException::class],
        [429, 'common.rate_limited', RateLimitException::class],
        [500, 'common.internal', ServerException::class],
    ];
    foreach ($table as [$status, $code, $class]) {
        $refusal = answer($status, ['error_code' => $code, 'detail' => 'A sentence.'], ['x-request-id' => 'r1']);
        $client = clientOf(new ScriptedExchange($refusal), maxRetries: 0);
        $error = fails($class, '', static fn () => $client->messages->push(PUSH, 'order-1001'));
        same("messages.push: $status $code: A sentence.", $error->getMessage());
        same([$code, $status, 'r1'], [$error->errorCode, $error->status, $error->requestId]);
        same(['A sentence.', 1, 'order-1001'], [$error->detail, $error->attempts, $error->idempotencyKey]);
    }
});

test('what is not Waypost is said to be something else, and not asked again', static function (): void {
    $page = answer(200, '<html>Sign in</html>');
    foreach ([answer(302, ''), $page, answer(200, ''), answer(200, '7'), answer(404, 'Not found')] as $strange) {
        $exchange = new ScriptedExchange($strange);
        $get = static fn () => clientOf($exchange)->credits->get();
        fails(UnexpectedAnswerException::class, 'is baseUrl the address of the service?', $get);
        same(1, count($exchange->requests));
    }
});

test('a validation says which fields are at fault', static function (): void {
    $places = [['body', 'subject'], ['body', 'channels', 1], ['body', 'whatsapp_opt_in', 'source'], ['body']];
    $detail = array_map(static fn (array $loc): array => [
        'type' => 'missing',
        'loc' => $loc,
        'msg' => 'Field required',
        'input' => 'ann@',
    ], $places);
    $refused = static fn (mixed $detail): ValidationException => fails(
        ValidationException::class,
        'messages.push: ',
        static fn () => clientOf(new ScriptedExchange(answer(422, ['error_code' => 'x', 'detail' => $detail])))
            ->messages->push(PUSH),
    );
    $error = $refused($detail);
    same(['subject', 'channels[1]', 'whatsapp_opt_in.source', ''], array_column($error->fields, 'field'));
    same(true, str_ends_with($error->getMessage(), 'whatsapp_opt_in.source: Field required; body: Field required'));
    foreach ([null, new stdClass(), [7], [['loc' => 7]], [['loc' => []]], [['loc' => [[], null]]]] as $strange) {
        $refused($strange);
    }
});

test('a batch that fails for good has what was stored', static function (): void {
    $stored = array_map(static fn (int $one): array => ['index' => $one, 'ok' => true], range(0, 99));
    $refused = answer(403, ['error_code' => 'business.inactive']);
    $exchange = new ScriptedExchange(answer(200, ['items' => $stored]), answer(200, ['items' => $stored]), $refused);
    $push = static fn () => clientOf($exchange)->messages->pushBatch(array_fill(0, 250, PUSH), 'run');
    $error = fails(BatchException::class, 'messages.pushBatch: stopped after 200 items: ', $push);
    same([range(0, 199), 'business.inactive'], [array_column($error->results, 'index'), $error->errorCode]);
    same(['run', PermissionException::class], [$error->idempotencyKey, get_class($error->getPrevious())]);
    $keys = array_map(static fn (array $one): string => $one['headers']['Idempotency-Key'], $exchange->requests);
    same(['run.0', 'run.1', 'run.2'], $keys);
});

test('a batch with one wrong text is refused before anything is sent', static function (): void {
    $exchange = new ScriptedExchange(answer(200, ['items' => []]));
    $pushes = [...array_fill(0, 150, PUSH), ['subject' => "\xff"] + PUSH];
    $push = static fn () => clientOf($exchange)->messages->pushBatch($pushes);
    fails(InvalidArgumentException::class, 'UTF-8', $push);
    same([], $exchange->requests);
});

test('a wrong idempotency key is refused before a call', static function (): void {
    $exchange = new ScriptedExchange(answer(201));
    foreach (['', ' a', "a\r\nx: y", "a\n", 'õ', str_repeat('k', 256)] as $wrong) {
        $push = static fn () => clientOf($exchange)->messages->push(PUSH, $wrong);
        fails(InvalidArgumentException::class, 'idempotencyKey must be 1 to 255', $push);
    }
    same([], $exchange->requests);
});

test('withResponse says what the headers say', static function (): void {
    $headers = ['x-request-id' => 'r1', 'idempotent-replayed' => 'true'];
    $client = clientOf(new ScriptedExchange(answer(200, ['id' => 'm1'], $headers)));
    $response = $client->withResponse(static fn (Waypost $one) => $one->messages->push(PUSH));
    same([['id' => 'm1'], 200, 'r1'], [$response->data, $response->status, $response->requestId]);
    same([true, $headers], [$response->replayed, $response->headers]);
    fails(LogicException::class, 'withResponse needs', static fn () => $client->withResponse(static fn () => 7));
});

test('lists read page after page, and end', static function (): void {
    $pages = [
        answer(200, ['items' => ['a', 'b'], 'next_cursor' => 'c1']),
        answer(200, ['items' => [], 'next_cursor' => 'c2']),
        answer(200, ['items' => ['c'], 'next_cursor' => null]),
    ];
    $exchange = new ScriptedExchange(...$pages);
    same(['a', 'b', 'c'], iterator_to_array(clientOf($exchange)->messages->list(status: 'active')));
    $query = static fn (array $one): string => (string) parse_url($one['url'], PHP_URL_QUERY);
    $asked = ['status=active', 'status=active&cursor=c1', 'status=active&cursor=c2'];
    same($asked, array_map($query, $exchange->requests));
});

test('following moves the cursor on with the last event of a page, through a long outage', static function (): void {
    $event = static fn (string $id): array => ['id' => $id, 'type' => 'ping', 'occurred_at' => 'x', 'data' => []];
    $page = static fn (string $next, string ...$ids): Answered
        => answer(200, ['items' => array_map($event, $ids), 'next' => $next, 'has_more' => false]);
    $away = array_fill(0, 40, answer(503));
    $exchange = new ScriptedExchange($page('c1', 'e1', 'e2'), ...[...$away, LOST, $page('c2'), $page('c3', 'e3')]);
    $follower = clientOf($exchange, maxRetries: 0)->events->follow(after: 'c0');
    $seen = [];
    foreach ($follower as $one) {
        $seen[] = [$one['id'], $follower->cursor];
        if ($one['id'] === 'e3') {
            break;
        }
    }
    same([['e1', 'c0'], ['e2', 'c1'], ['e3', 'c3']], $seen);
});

test('a repeat is logged without a person, a text or a key', static function (): void {
    $logger = new class implements LoggerInterface {
        /** @var list<string> */
        public array $lines = [];

        public function warning(string|Stringable $message, array $context = []): void
        {
            $this->lines[] = "$message " . json_encode($context, JSON_THROW_ON_ERROR);
        }
    };
    $exchange = new ScriptedExchange(answer(503, headers: ['x-request-id' => 'r1']), answer(200));
    clientOf($exchange, logger: $logger)->recipients->get('ann@example.com');
    same(['waypost call repeated {"method":"recipients.get","attempt":1,'
        . '"code":"client.unexpected_answer","status":503,"request_id":"r1"}'], $logger->lines);
});

test('nothing that is printed holds a key or a person', static function (): void {
    $client = clientOf(new ScriptedExchange(LOST), maxRetries: 0);
    $error = fails(ConnectionException::class, '', static fn () => $client->recipients->erase('ann@example.com'));
    same('recipients.erase: the connection to updates.example.com failed (Connection reset)', $error->getMessage());
    foreach ([$client, $client->messages, $client->sandbox] as $one) {
        ob_start();
        var_dump($one);
        $printed = ob_get_clean() . print_r($one, true);
        same(0, preg_match('/_secret|ann@|ann%40/', $printed));
    }
    // PHP 8.1 can show in a stack trace what a function was called with.
    if (PHP_VERSION_ID >= 80200) {
        same(0, preg_match('/_secret|ann@|ann%40/', (string) $error));
    }
});
