<?php

declare(strict_types=1);

namespace Waypost\Resources;

use Waypost\Generated\Types;
use Waypost\Internal\Caller;
use Waypost\Internal\Repeat;
use Waypost\Paged;

/**
 * The addresses that webhooks go to.
 *
 * @phpstan-import-type ChangeWebhookEndpoint from Types
 * @phpstan-import-type CreateWebhookEndpoint from Types
 * @phpstan-import-type Replay from Types
 * @phpstan-import-type ReplayResult from Types
 * @phpstan-import-type RotateSecret from Types
 * @phpstan-import-type RotatedWebhookEndpoint from Types
 * @phpstan-import-type WebhookDelivery from Types
 * @phpstan-import-type WebhookEndpoint from Types
 * @phpstan-import-type WebhookEndpointList from Types
 * @phpstan-import-type WebhookTestResult from Types
 */
final class WebhookEndpoints
{
    /** @internal */
    public function __construct(private readonly Caller $caller)
    {
    }

    /**
     * Every endpoint, newest first, with its secret masked.
     *
     * @return WebhookEndpointList
     */
    public function list(): array
    {
        return $this->caller->call('listWebhookEndpoints', 'webhookEndpoints.list');
    }

    /**
     * Creates an endpoint. Only this answer has its whole secret. The server knows no idempotency key here, so the call
     * is repeated only if it certainly had no effect: after a 429, or if no connection was made. After any other
     * failure, list the endpoints.
     *
     * @param CreateWebhookEndpoint $endpoint
     * @return WebhookEndpoint
     */
    public function create(array $endpoint): array
    {
        return $this->caller->call(
            'createWebhookEndpoint',
            'webhookEndpoints.create',
            body: $endpoint,
            repeat: Repeat::IfUntouched,
        );
    }

    /**
     * Changes what is named of an endpoint: its URL, its event types, whether it is enabled.
     *
     * @param ChangeWebhookEndpoint $changes
     * @return WebhookEndpoint
     */
    public function update(string $id, array $changes): array
    {
        return $this->caller->call(
            'changeWebhookEndpoint',
            'webhookEndpoints.update',
            path: ['public_id' => $id],
            body: $changes,
        );
    }

    /** Deletes an endpoint. Returns also if an attempt without an answer had deleted it. */
    public function delete(string $id): void
    {
        $path = ['public_id' => $id];
        $this->caller->call('deleteWebhookEndpoint', 'webhookEndpoints.delete', path: $path, isDeletion: true);
    }

    /**
     * Sends a ping; `delivered` says whether it arrived. Repeated only if it certainly had no effect, as `create`: else
     * there would be two pings.
     *
     * @return WebhookTestResult
     */
    public function test(string $id): array
    {
        return $this->caller->call(
            'testWebhookEndpoint',
            'webhookEndpoints.test',
            path: ['public_id' => $id],
            repeat: Repeat::IfUntouched,
        );
    }

    /**
     * What was sent to an endpoint, newest first, with every attempt.
     *
     * @param 'pending'|'delivered'|'exhausted'|'cancelled'|null $status
     * @return Paged<WebhookDelivery>
     */
    public function deliveries(
        string $id,
        ?string $status = null,
        ?int $limit = null,
        ?string $cursor = null,
    ): Paged {
        $read = fn (?string $at): array => $this->caller->call(
            'listWebhookDeliveries',
            'webhookEndpoints.deliveries',
            path: ['public_id' => $id],
            query: ['status' => $status, 'limit' => $limit, 'cursor' => $at],
        );
        return new Paged($read, $cursor);
    }

    /**
     * Sends the events of a period again: those that did not arrive, or all.
     *
     * @param Replay $replay
     * @return ReplayResult
     */
    public function replay(string $id, array $replay, ?string $idempotencyKey = null): array
    {
        return $this->caller->call(
            'replayWebhookDeliveries',
            'webhookEndpoints.replay',
            path: ['public_id' => $id],
            body: $replay,
            idempotencyKey: $idempotencyKey,
        );
    }

    /**
     * Gives an endpoint a new secret. Only the first answer has the whole of it.
     *
     * @param RotateSecret $rotation
     * @return RotatedWebhookEndpoint
     */
    public function rotateSecret(string $id, array $rotation = [], ?string $idempotencyKey = null): array
    {
        return $this->caller->call(
            'rotateWebhookSecret',
            'webhookEndpoints.rotateSecret',
            path: ['public_id' => $id],
            body: $rotation,
            idempotencyKey: $idempotencyKey,
        );
    }
}
