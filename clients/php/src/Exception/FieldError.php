<?php

declare(strict_types=1);

namespace Waypost\Exception;

/** One fault of a request. */
final class FieldError
{
    /** @internal */
    public function __construct(
        /** The field, such as `channels[1]`; empty where the whole is at fault. */
        public readonly string $field,
        /** Where it stands: `body`, `query`, `path` or `header`. */
        public readonly string $place,
        /** What is wrong with it, for a person. */
        public readonly string $message,
        /** The kind of fault, such as `missing` or `string_too_long`. */
        public readonly string $type,
    ) {
    }

    /**
     * Every fault that a server's `detail` names.
     *
     * @internal
     * @return list<self>
     */
    public static function listOf(#[\SensitiveParameter] mixed $detail): array
    {
        $faults = is_array($detail) ? array_filter($detail, 'is_array') : [];
        return array_map(self::of(...), array_values($faults));
    }

    /** @param array<mixed> $fault */
    private static function of(#[\SensitiveParameter] array $fault): self
    {
        $path = array_filter(is_array($fault['loc'] ?? null) ? $fault['loc'] : [], 'is_scalar');
        $place = (string) array_shift($path);
        [$message, $type] = [$fault['msg'] ?? '', $fault['type'] ?? ''];
        return new self(
            self::nameOf($path),
            $place,
            is_string($message) ? $message : '',
            is_string($type) ? $type : '',
        );
    }

    /**
     * `['channels', 1]` is `channels[1]`, `['whatsapp_opt_in', 'source']` is `whatsapp_opt_in.source`.
     *
     * @param array<bool|float|int|string> $path
     */
    private static function nameOf(array $path): string
    {
        $name = '';
        foreach ($path as $part) {
            $name .= is_int($part) ? "[$part]" : ($name === '' ? $part : ".$part");
        }
        return $name;
    }
}
