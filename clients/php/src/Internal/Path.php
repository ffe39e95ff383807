<?php

declare(strict_types=1);

namespace Waypost\Internal;

use DateTimeInterface;
use InvalidArgumentException;

/** How the address of a call is written. */
final class Path
{
    /**
     * Puts the values into `/messages/{public_id}`. What a URL would read as another path is refused.
     *
     * @param array<string, string> $values
     */
    public static function filled(string $template, #[\SensitiveParameter] array $values): string
    {
        $filled = $template;
        foreach ($values as $name => $value) {
            if (in_array($value, ['', '.', '..'], true)) {
                throw new InvalidArgumentException("$name must be a text other than \"\", \".\" and \"..\"");
            }
            $filled = str_replace('{' . $name . '}', rawurlencode(self::checked($name, $value)), $filled);
        }
        return $filled;
    }

    /**
     * `?limit=5&types=a,b`; what is null is left out.
     *
     * @param array<string, mixed> $query
     */
    public static function query(#[\SensitiveParameter] array $query): string
    {
        $fields = [];
        foreach ($query as $name => $value) {
            if ($value !== null) {
                $fields[] = $name . '=' . rawurlencode(self::checked($name, self::text($value)));
            }
        }
        return $fields === [] ? '' : '?' . implode('&', $fields);
    }

    private static function text(#[\SensitiveParameter] mixed $value): string
    {
        return match (true) {
            $value instanceof DateTimeInterface => Times::text($value),
            is_array($value) => implode(',', $value),
            default => (string) $value,
        };
    }

    private static function checked(string $name, #[\SensitiveParameter] string $value): string
    {
        if (preg_match('//u', $value) !== 1) {
            throw new InvalidArgumentException("$name is not UTF-8");
        }
        return $value;
    }
}
