<?php

declare(strict_types=1);

namespace Waypost\Internal;

use InvalidArgumentException;

/** Batches of any length, as calls of a hundred items. */
final class Batch
{
    /** The most that the server takes in one call, and the longest key for it. */
    private const MAX = 100;
    private const KEY_MAX = 252;

    /**
     * Splits a batch into calls, by the position of each call's first item. One call has the key as it is; several have
     * `key.0`, `key.1` and so on. So the same list and key make the same calls, and repeating them does nothing twice.
     *
     * @template Item
     * @param array<Item> $items
     * @return array<int, array{key: string, items: list<Item>}>
     */
    public static function chunks(#[\SensitiveParameter] array $items, string $key): array
    {
        $parts = array_chunk($items, self::MAX);
        $count = count($parts);
        $chunks = [];
        foreach ($parts as $index => $part) {
            $chunks[$index * self::MAX] = ['key' => $count === 1 ? $key : "$key.$index", 'items' => $part];
        }
        // Before anything is sent: else the tenth call would be the first with a key that is too long.
        if ($chunks !== [] && strlen(end($chunks)['key']) > self::KEY_MAX) {
            throw new InvalidArgumentException(
                'The idempotency key of this batch is longer than ' . self::KEY_MAX . ' characters.',
            );
        }
        return $chunks;
    }
}
