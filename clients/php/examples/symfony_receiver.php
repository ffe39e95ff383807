<?php

declare(strict_types=1);

/*
 * Webhooks with Symfony: a controller, which no firewall may guard with a login. The deduper is a service of yours, such
 * as that of pdo.php.
 */

namespace App\Controller;

use Psr\Log\LoggerInterface;
use Symfony\Component\DependencyInjection\Attribute\Autowire;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\Routing\Attribute\Route;
use Waypost\Exception\WebhookVerificationException;
use Waypost\WebhookDeduper;
use Waypost\Webhooks;

final class WaypostController
{
    public function __construct(
        #[Autowire(env: 'WAYPOST_WEBHOOK_SECRET')] private readonly string $secret,
        private readonly WebhookDeduper $deduper,
        private readonly LoggerInterface $logger,
    ) {
    }

    #[Route('/hooks/waypost', methods: ['POST'])]
    public function __invoke(Request $request): Response
    {
        try {
            // The raw body: `$request->getPayload()` is parsed.
            $event = Webhooks::verify($request->getContent(), $request->headers->all(), $this->secret);
        } catch (WebhookVerificationException $error) {
            return new Response($error->getMessage(), Response::HTTP_BAD_REQUEST);
        }
        // After a failure, which is a 500, the event comes again.
        Webhooks::processOnce($this->deduper, $event, $this->handle(...));
        return new Response('', Response::HTTP_NO_CONTENT);
    }

    private function handle(array $event): void
    {
        if ($event['type'] === 'message.bounced') {
            $this->logger->info('bounced', ['message_id' => $event['data']['message_id']]);
        }
    }
}
