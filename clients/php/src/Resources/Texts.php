<?php

declare(strict_types=1);

namespace Waypost\Resources;

use Waypost\Generated\Types;
use Waypost\Internal\Caller;

/**
 * The words of the messages that Waypost writes itself, by order status and language.
 *
 * @phpstan-import-type OrderText from Types
 * @phpstan-import-type OrderTextList from Types
 * @phpstan-import-type OrderTextSource from Types
 */
final class Texts
{
    /** @internal */
    public function __construct(private readonly Caller $caller)
    {
    }

    /**
     * All of them: yours, and ours where `is_default` is true.
     *
     * @return OrderTextList
     */
    public function list(): array
    {
        return $this->caller->call('listTexts', 'texts.list');
    }

    /**
     * Sets a text, in Liquid. Setting the same one twice is the same as once, so the call is repeated like a read.
     *
     * @param OrderTextSource $text
     * @return OrderText
     */
    public function set(string $orderStatus, string $language, array $text): array
    {
        $path = ['order_status' => $orderStatus, 'language' => $language];
        return $this->caller->call('setText', 'texts.set', path: $path, body: $text);
    }

    /**
     * Returns to our text, also where none was set.
     *
     * @return OrderText
     */
    public function reset(string $orderStatus, string $language): array
    {
        $path = ['order_status' => $orderStatus, 'language' => $language];
        return $this->caller->call('resetText', 'texts.reset', path: $path);
    }
}
