<?php

declare(strict_types=1);

namespace Waypost\Resources;

use Generator;
use Waypost\EventFollower;
use Waypost\Generated\Types;
use Waypost\Internal\Caller;
use Waypost\Internal\Envelope;

/**
 * The feed of events: what webhooks deliver, read in your own time.
 *
 * @phpstan-import-type EventType from Types
 * @phpstan-import-type WaypostEvent from Types
 * @phpstan-import-type WaypostEventPage from Types
 */
final class Events
{
    /** @internal */
    public function __construct(private readonly Caller $caller)
    {
    }

    /**
     * Every event, and then each new one as it happens, without end. Save the follower's `cursor` to go on later.
     * `after` is a saved cursor, or `latest` for what happens from now on; a call brings at most `limit` events (1 to
     * 1,000) and waits `waitSeconds` (0 to 30) for one.
     *
     * @param list<EventType|string>|null $types
     */
    public function follow(
        ?string $after = null,
        ?array $types = null,
        ?string $messageId = null,
        ?int $limit = null,
        int $waitSeconds = 25,
    ): EventFollower {
        return new EventFollower($this->caller, $after, $types, $messageId, $limit, $waitSeconds);
    }

    /**
     * The events that are there now, oldest first: the loop ends with the last one.
     *
     * @param list<EventType|string>|null $types
     * @return Generator<int, WaypostEvent>
     */
    public function list(
        ?string $after = null,
        ?array $types = null,
        ?string $messageId = null,
        ?int $limit = null,
    ): Generator {
        $index = 0;
        do {
            $page = $this->page($after, $types, $messageId, $limit);
            foreach ($page['items'] as $event) {
                yield $index++ => $event;
            }
            $after = $page['next'];
        } while ($page['has_more']);
    }

    /**
     * One page of the feed. It may be held back for `wait` seconds.
     *
     * @param list<EventType|string>|null $types
     * @return WaypostEventPage
     */
    public function page(
        ?string $after = null,
        ?array $types = null,
        ?string $messageId = null,
        ?int $limit = null,
        ?int $wait = null,
    ): array {
        return Envelope::page($this->caller->call(
            'listEvents',
            'events.page',
            query: [
                'after' => $after,
                'types' => $types,
                'message_id' => $messageId,
                'limit' => $limit,
                'wait' => $wait,
            ],
            attemptSeconds: $this->caller->attemptSeconds($wait ?? 0),
        ));
    }
}
