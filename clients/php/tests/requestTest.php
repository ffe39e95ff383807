<?php

declare(strict_types=1);

use Waypost\Generated\Operations;
use Waypost\Internal\Address;
use Waypost\Internal\Batch;
use Waypost\Internal\Json;
use Waypost\Internal\Path;
use Waypost\Resources\Events;
use Waypost\Resources\Messages;
use Waypost\Resources\Orders;
use Waypost\Resources\UsageResource;
use Waypost\Resources\WebhookEndpoints;
use Waypost\Waypost;

test('what is no address is refused', static function (): void {
    $wrong = [null, '', 'localhost:8080', 'ftp://a.example', 'http://', 'http://a?x=1', 'http://u:p@a', 'http://a:x'];
    foreach ([...$wrong, 'http://a b', "http://a\r\nx", "http://a\n", 'http://õ.example', '/api/v1'] as $baseUrl) {
        fails(InvalidArgumentException::class, 'Waypost needs a baseUrl', static fn () => Address::parse($baseUrl));
    }
    foreach (['http://a/x', 'http://a/x/', 'http://a/x/api/v1', 'http://a/x/api/v1/'] as $baseUrl) {
        same('http://a/x', Address::parse($baseUrl)->url);
    }
    same('[::1]:8443', Address::parse('https://[::1]:8443/way/')->authority);
});

test('the environment says what is not given', static function (): void {
    $_ENV['WAYPOST_API_KEY'] = 'way_live_x';
    putenv('WAYPOST_BASE_URL=https://updates.example.com');
    same(['host' => 'updates.example.com'], (new Waypost())->__debugInfo());
    unset($_ENV['WAYPOST_API_KEY']);
    putenv('WAYPOST_BASE_URL');
    fails(InvalidArgumentException::class, 'Waypost needs an apiKey', static fn () => new Waypost('http://a'));
});

test('settings are checked at once', static function (): void {
    foreach (['', "way_live_x\n", 'way live'] as $key) {
        $make = static fn () => new Waypost('http://a', $key);
        fails(InvalidArgumentException::class, 'Waypost needs an apiKey', $make);
    }
    $make = static fn (mixed ...$options): Closure
        => static fn () => new Waypost('http://a', 'way_live_x', ...$options);
    fails(InvalidArgumentException::class, 'the sandboxKey', $make(sandboxKey: ''));
    fails(InvalidArgumentException::class, 'maxRetries must be 0 or more', $make(maxRetries: -1));
    foreach ([0, -1, NAN] as $limit) {
        fails(InvalidArgumentException::class, 'deadlineSeconds must be more than 0', $make(deadlineSeconds: $limit));
        fails(InvalidArgumentException::class, 'attemptSeconds must be more than 0', $make(attemptSeconds: $limit));
    }
});

test('a value stays one part of the path', static function (): void {
    $table = [
        'ann@example.com' => '/recipients/ann%40example.com/sms',
        'a/b?c#d e' => '/recipients/a%2Fb%3Fc%23d%20e/sms',
        'õie+1@näide.ee' => '/recipients/%C3%B5ie%2B1%40n%C3%A4ide.ee/sms',
        '{email}' => '/recipients/%7Bemail%7D/sms',
        '...' => '/recipients/.../sms',
    ];
    foreach ($table as $email => $path) {
        same($path, Path::filled('/recipients/{email}/sms', ['email' => $email]));
    }
    foreach (['', '.', '..', "\xff"] as $wrong) {
        fails(InvalidArgumentException::class, 'email', static fn () => Path::filled('/{email}', ['email' => $wrong]));
    }
});

test('a query leaves out what is not given and takes times as they are at hand', static function (): void {
    same('', Path::query([]));
    same('', Path::query(['cursor' => null]));
    same('?limit=0&types=ping%2Csms.failed&q=a%26b%3Dc', Path::query([
        'limit' => 0,
        'types' => ['ping', 'sms.failed'],
        'q' => 'a&b=c',
    ]));
    $time = new DateTime('2026-08-20 12:15:00.25', new DateTimeZone('Europe/Tallinn'));
    same('?created_after=2026-08-20T09%3A15%3A00.250Z', Path::query(['created_after' => $time]));
});

test('the methods take every part of the query that the API has', static function (): void {
    $readers = [
        'listMessages' => [Messages::class, 'list'],
        'listOrders' => [Orders::class, 'list'],
        'getUsage' => [UsageResource::class, 'get'],
        'listWebhookDeliveries' => [WebhookEndpoints::class, 'deliveries'],
        'listEvents' => [Events::class, 'page'],
    ];
    same(array_keys(Operations::QUERIES), array_keys($readers));
    foreach ($readers as $operation => $method) {
        $parameters = (new ReflectionMethod(...$method))->getParameters();
        $taken = array_map(static fn (ReflectionParameter $one): string => $one->getName(), $parameters);
        $snake = static fn (string $name): string => strtolower((string) preg_replace('/[A-Z]/', '_$0', $name));
        same(Operations::QUERIES[$operation], array_values(array_diff(array_map($snake, $taken), ['id'])));
    }
});

test('up to a hundred items are one call, and more have keys of their own', static function (): void {
    same([], Batch::chunks([], 'run'));
    same([0 => ['key' => 'run', 'items' => range(1, 100)]], Batch::chunks(range(1, 100), 'run'));
    foreach ([1, 99, 101, 250, 1000] as $length) {
        $chunks = Batch::chunks(array_fill(7, $length, 'x'), 'run');
        same(array_map(static fn (int $one): int => $one * 100, range(0, count($chunks) - 1)), array_keys($chunks));
        same($length, array_sum(array_map(static fn (array $one): int => count($one['items']), $chunks)));
    }
    same(array_map(static fn (int $one): string => "run.$one", range(0, 9)), array_column($chunks, 'key'));
});

test('a batch key that would become too long is refused before anything is sent', static function (): void {
    same(11, count(Batch::chunks(range(0, 1000), str_repeat('k', 249))));
    $tooLong = static fn () => Batch::chunks(range(0, 1000), str_repeat('k', 250));
    fails(InvalidArgumentException::class, 'longer than 252 characters', $tooLong);
});

test('lists and objects are sent as the API has them', static function (): void {
    $push = [
        'subject' => 'Õie/"order" 🎁',
        'channels' => array_filter(['email', 'sms'], static fn (string $one): bool => $one === 'sms'),
        'obsoletes' => [],
        'shipment' => [],
        'send_at' => new DateTimeImmutable('2026-08-20T09:15:00Z'),
    ];
    $sent = '{"subject":"Õie/\"order\" 🎁","channels":["sms"],"obsoletes":[],"shipment":{},'
        . '"send_at":"2026-08-20T09:15:00.000Z"}';
    same($sent, Json::encode($push));
    same("{\"items\":[$sent]}", Json::encode(['items' => [3 => $push]]));
    same('{}', Json::encode([]));
    same('{"id":9007199254740993}', Json::encode(['id' => 9007199254740993]));
});

test('what no JSON can hold is refused before a call', static function (): void {
    foreach (["\xff", "half a pair: \xed\xa0\xbd", NAN, INF] as $wrong) {
        $encode = static fn () => Json::encode(['body' => ['of' => $wrong]]);
        fails(InvalidArgumentException::class, 'What is to be sent is not valid', $encode);
    }
});

test('what others sent is read: large numbers, half pairs of surrogates', static function (): void {
    same(['id' => '123456789012345678901'], Json::decode('{"id":123456789012345678901}'));
    same("\u{1F381} and \u{FFFD}", Json::decode('"\ud83c\udf81 and \ud83c"'));
    same("\\ud83c \u{FFFD}\u{FFFD}!", Json::decode('"\\\\ud83c \udf81\ud83c!"'));
    fails(JsonException::class, '', static fn () => Json::decode('{"cut'));
});
