<?php

declare(strict_types=1);

namespace Waypost\Internal;

use Waypost\Generated\Types;

/**
 * Events of the feed and of webhooks.
 *
 * @phpstan-import-type EventPage from Types
 * @phpstan-import-type FeedEvent from Types
 * @phpstan-import-type WaypostEvent from Types
 * @phpstan-import-type WaypostEventPage from Types
 */
final class Envelope
{
    /**
     * An envelope of the feed or of a webhook as an event: a type that this version does not know becomes `unknown`.
     *
     * @param FeedEvent $envelope
     * @return WaypostEvent
     */
    public static function event(array $envelope): array
    {
        if (in_array($envelope['type'], Types::EVENT_TYPES, true)) {
            return $envelope;
        }
        return [
            'type' => 'unknown',
            'unknown_type' => $envelope['type'],
            'id' => $envelope['id'],
            'occurred_at' => $envelope['occurred_at'],
            'data' => $envelope['data'] ?? [],
        ];
    }

    /**
     * @param EventPage $page
     * @return WaypostEventPage
     */
    public static function page(array $page): array
    {
        return ['items' => array_map(self::event(...), $page['items'])] + $page;
    }
}
