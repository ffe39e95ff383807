<?php

declare(strict_types=1);

namespace Waypost;

use Closure;
use Generator;
use IteratorAggregate;

/**
 * A list of any length: `foreach ($list as $item)` reads page after page, as far as the loop goes.
 *
 * @template Item
 * @implements IteratorAggregate<int, Item>
 */
final class Paged implements IteratorAggregate
{
    /**
     * @internal
     * @param Closure(?string): array{items: list<Item>, next_cursor: string|null} $read
     */
    public function __construct(private readonly Closure $read, private readonly ?string $first)
    {
    }

    /**
     * The same, a page at a time. A page can be empty before the last one.
     *
     * @return Generator<int, array{items: list<Item>, next_cursor: string|null}>
     */
    public function pages(): Generator
    {
        $cursor = $this->first;
        do {
            $page = ($this->read)($cursor);
            yield $page;
            $cursor = $page['next_cursor'];
        } while ($cursor !== null);
    }

    /**
     * Item by item.
     *
     * @return Generator<int, Item>
     */
    public function getIterator(): Generator
    {
        $index = 0;
        foreach ($this->pages() as $page) {
            foreach ($page['items'] as $item) {
                yield $index++ => $item;
            }
        }
    }
}
