<?php

declare(strict_types=1);

namespace Waypost;

use Generator;
use IteratorAggregate;
use Waypost\Generated\Types;
use Waypost\Internal\Caller;
use Waypost\Internal\Envelope;

/**
 * The feed of events, without end: `foreach ($follower as $event)`. It outlives restarts of the server and of the
 * network: only a refusal ends it, such as a revoked key or a CursorExpiredException.
 *
 * @phpstan-import-type WaypostEvent from Types
 * @phpstan-import-type WaypostEventPage from Types
 * @implements IteratorAggregate<int, WaypostEvent>
 */
final class EventFollower implements IteratorAggregate
{
    /** An empty page that came sooner, though it should have waited, is asked for again after this pause. */
    private const EARLY_PAGE_PAUSE_SECONDS = 1.0;

    /**
     * The place to go on from with `after`; null before the first page. Save it after you handled an event. It moves on
     * with the last event of a page, so after a crash some events can come again, and none is lost: drop those whose id
     * you know.
     */
    public ?string $cursor;

    /**
     * @internal
     * @param list<string>|null $types
     */
    public function __construct(
        private readonly Caller $caller,
        ?string $after,
        private readonly ?array $types,
        private readonly ?string $messageId,
        private readonly ?int $limit,
        private readonly int $waitSeconds,
    ) {
        $this->cursor = $after;
    }

    /**
     * The same, a page at a time. `cursor` is at the end of the page.
     *
     * @return Generator<int, WaypostEventPage>
     */
    public function pages(): Generator
    {
        while (true) {
            $page = $this->next();
            $this->cursor = $page['next'];
            yield $page;
        }
    }

    /**
     * Event by event.
     *
     * @return Generator<int, WaypostEvent>
     */
    public function getIterator(): Generator
    {
        for ($index = 0; true;) {
            $page = $this->next();
            foreach ($page['items'] as $place => $event) {
                if ($place === count($page['items']) - 1) {
                    $this->cursor = $page['next'];
                }
                yield $index++ => $event;
            }
            $this->cursor = $page['next'];
        }
    }

    /** @return WaypostEventPage */
    private function next(): array
    {
        $time = $this->caller->time();
        while (true) {
            $began = $time->now();
            $page = Envelope::page($this->caller->call(
                'listEvents',
                'events.follow',
                query: [
                    'after' => $this->cursor,
                    'types' => $this->types,
                    'message_id' => $this->messageId,
                    'limit' => $this->limit,
                    'wait' => $this->waitSeconds,
                ],
                attemptSeconds: $this->caller->attemptSeconds($this->waitSeconds),
                isEndless: true,
            ));
            // `latest` is answered at once, with a cursor and no event.
            $waited = $this->cursor === 'latest' || $time->now() - $began >= self::EARLY_PAGE_PAUSE_SECONDS;
            if ($page['items'] !== [] || $waited) {
                return $page;
            }
            $this->cursor = $page['next'];
            $time->sleep(self::EARLY_PAGE_PAUSE_SECONDS * (0.5 + $time->random() / 2));
        }
    }
}
