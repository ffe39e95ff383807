<?php

declare(strict_types=1);

/*
 * Webhooks with Laravel: a controller, and its line in routes/web.php. The signature says who calls; there is no session
 * that a CSRF token would protect.
 *
 * Route::post('/hooks/waypost', WaypostController::class)
 *     ->withoutMiddleware(\Illuminate\Foundation\Http\Middleware\VerifyCsrfToken::class);
 */

namespace App\Http\Controllers;

use Illuminate\Contracts\Cache\Repository;
use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Waypost\Exception\WebhookVerificationException;
use Waypost\WebhookDeduper;
use Waypost\Webhooks;

final class WaypostController
{
    public function __construct(private readonly Repository $cache)
    {
    }

    public function __invoke(Request $request): Response
    {
        $secret = config('services.waypost.webhook_secret');
        try {
            // The raw body: `$request->all()` is parsed.
            $event = Webhooks::verify($request->getContent(), $request->headers->all(), $secret);
        } catch (WebhookVerificationException $error) {
            return new Response($error->getMessage(), 400);
        }
        // After a failure, which is a 500, the event comes again.
        Webhooks::processOnce(new CacheDeduper($this->cache), $event, $this->handle(...));
        return new Response('', 204);
    }

    private function handle(array $event): void
    {
        if ($event['type'] === 'message.bounced') {
            logger()->info('bounced', ['message_id' => $event['data']['message_id']]);
        }
    }
}

/** Once for all processes that share the cache, for a day: longer than any retry takes. */
final class CacheDeduper implements WebhookDeduper
{
    private const KEPT_SECONDS = 24 * 60 * 60;

    public function __construct(private readonly Repository $cache)
    {
    }

    public function claim(string $eventId): bool
    {
        return $this->cache->add("waypost:$eventId", true, self::KEPT_SECONDS);
    }

    public function release(string $eventId): void
    {
        $this->cache->forget("waypost:$eventId");
    }
}
