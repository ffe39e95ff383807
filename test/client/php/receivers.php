<?php

declare(strict_types=1);

/*
 * The receivers of the client's examples, with the requests of their frameworks as Debian packs them: prints how each answered a
 * genuine webhook, the same again and a forged one, and what it handled. Arguments: the folder of the shop, its secret; on stdin the
 * body and the headers, as JSON.
 */

use Illuminate\Cache\ArrayStore;
use Illuminate\Cache\Repository;
use Psr\Log\AbstractLogger;
use Waypost\InMemoryDeduper;

[, $shop, $secret] = $argv;
foreach (['Illuminate/Http', 'Illuminate/Cache', 'Psr/Log'] as $package) {
    require "$package/autoload.php";
}
require "$shop/vendor/autoload.php";
foreach (['laravel_receiver', 'symfony_receiver', 'pdo'] as $example) {
    require "$shop/vendor/waypost/waypost/examples/$example.php";
}
['body' => $body, 'headers' => $headers] = json_decode(stream_get_contents(STDIN), true);
$server = [];
foreach ($headers as $name => $value) {
    $server['HTTP_' . strtr(strtoupper($name), '-', '_')] = $value;
}

final class Log extends AbstractLogger
{
    public static array $lines = [];

    public function log($level, $message, array $context = []): void
    {
        self::$lines[] = "$message {$context['message_id']}";
    }
}

/** Of Laravel itself. */
function config(string $name): string
{
    global $secret;
    return $name === 'services.waypost.webhook_secret' ? $secret : '';
}

function logger(): Log
{
    return new Log();
}

$laravel = new App\Http\Controllers\WaypostController(new Repository(new ArrayStore()));
$symfony = new App\Controller\WaypostController($secret, new InMemoryDeduper(), new Log());
$told = [];
foreach ([[$laravel, Illuminate\Http\Request::class], [$symfony, Symfony\Component\HttpFoundation\Request::class]] as [$receive, $request]) {
    Log::$lines = [];
    $statuses = array_map(
        static fn (string $sent): int => $receive($request::create('/hooks/waypost', 'POST', [], [], [], $server, $sent))->getStatusCode(),
        [$body, $body, "$body "],
    );
    $told[] = [$statuses, Log::$lines];
}

$pdo = new PDO('sqlite::memory:', options: [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
$pdo->exec('create table waypost_events (id text primary key, at timestamp not null default current_timestamp)');
$event = json_decode($body, true);
try {
    processInTransaction($pdo, $event, static fn () => throw new RuntimeException('the work failed'));
} catch (RuntimeException $error) {
    $told[] = $error->getMessage();
}
$told[] = [processInTransaction($pdo, $event, 'is_array'), processInTransaction($pdo, $event, 'is_array')];
echo json_encode($told);
