<?php

declare(strict_types=1);

namespace Waypost\Resources;

use DateTimeInterface;
use Waypost\Generated\Types;
use Waypost\Internal\Caller;
use Waypost\Paged;

/**
 * Your orders, by your own order number: where each stands, and what its carriers report.
 *
 * @phpstan-import-type ListedOrder from Types
 * @phpstan-import-type Order from Types
 * @phpstan-import-type Shipment from Types
 * @phpstan-import-type ShipmentFacts from Types
 * @phpstan-import-type TrackingEventReport from Types
 * @phpstan-import-type TrackingResult from Types
 */
final class Orders
{
    /** @internal */
    public function __construct(private readonly Caller $caller)
    {
    }

    /**
     * Orders, newest change first: `foreach ($waypost->orders->list(status: 'delayed') as $order)`.
     *
     * @return Paged<ListedOrder>
     */
    public function list(
        ?string $status = null,
        #[\SensitiveParameter] ?string $recipientEmail = null,
        string|DateTimeInterface|null $updatedAfter = null,
        ?int $limit = null,
        ?string $cursor = null,
    ): Paged {
        $query = [
            'status' => $status,
            'recipient_email' => $recipientEmail,
            'updated_after' => $updatedAfter,
            'limit' => $limit,
        ];
        $read = fn (?string $at): array
            => $this->caller->call('listOrders', 'orders.list', query: $query + ['cursor' => $at]);
        return new Paged($read, $cursor);
    }

    /**
     * An order with its people, shipments and messages.
     *
     * @return Order
     */
    public function get(string $reference): array
    {
        return $this->caller->call('getOrder', 'orders.get', path: ['reference' => $reference]);
    }

    /**
     * Sets what is known of a shipment and sends nothing; a field left out becomes null. Setting the same twice is the
     * same as once, so the call is repeated like a read.
     *
     * @param ShipmentFacts $facts
     * @return Shipment
     */
    public function putShipment(
        string $reference,
        string $trackingNumber,
        #[\SensitiveParameter] array $facts = [],
    ): array {
        return $this->caller->call(
            'putShipment',
            'orders.putShipment',
            path: ['reference' => $reference, 'tracking_number' => $trackingNumber],
            body: $facts,
        );
    }

    /**
     * Reports what a carrier says of a shipment. `nudged` says whether the customer hears of it, and `message_id` in
     * which message.
     *
     * @param TrackingEventReport $event
     * @return TrackingResult
     */
    public function reportTracking(
        string $reference,
        #[\SensitiveParameter] array $event,
        ?string $idempotencyKey = null,
    ): array {
        return $this->caller->call(
            'reportTracking',
            'orders.reportTracking',
            path: ['reference' => $reference],
            body: $event,
            idempotencyKey: $idempotencyKey,
        );
    }
}
