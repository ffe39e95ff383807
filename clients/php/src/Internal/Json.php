<?php

declare(strict_types=1);

namespace Waypost\Internal;

use DateTimeInterface;
use InvalidArgumentException;
use JsonException;
use JsonSerializable;
use stdClass;
use Waypost\Generated\Operations;

/** JSON as the API takes and answers it. */
final class Json
{
    /**
     * The body of a request: an object, also where it is empty.
     *
     * @param array<mixed> $body
     */
    public static function encode(#[\SensitiveParameter] array $body): string
    {
        $flags = JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES;
        try {
            return json_encode($body === [] ? new stdClass() : self::prepared($body), $flags);
        } catch (JsonException $error) {
            throw new InvalidArgumentException("What is to be sent is not valid: {$error->getMessage()}");
        }
    }

    /** The value of an answer. A number that is too large for an int stays as it is written, in a text. */
    public static function decode(#[\SensitiveParameter] string $text): mixed
    {
        $flags = JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING;
        try {
            return json_decode($text, true, 512, $flags);
        } catch (JsonException $error) {
            if ($error->getCode() !== JSON_ERROR_UTF16) {
                throw $error;
            }
            return json_decode(self::withoutHalfPairs($text), true, 512, $flags);
        }
    }

    /** JSON can name half of a pair of surrogates by its number. No PHP text can hold it. */
    private static function withoutHalfPairs(string $text): string
    {
        $whole = '\\\\u[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2}';
        $other = '\\\\(?!u[dD][89a-fA-F]).';
        return (string) preg_replace("/(?:$whole|$other)(*SKIP)(*F)|\\\\u[dD][89a-fA-F]../s", '\\ufffd', $text);
    }

    /** As json_encode is to see it: times as texts; `[]` as an object, and keys that a filter left, where the API says which. */
    private static function prepared(#[\SensitiveParameter] mixed $value, string|int $name = ''): mixed
    {
        if ($value instanceof DateTimeInterface) {
            return Times::text($value);
        }
        if ($value instanceof JsonSerializable) {
            return self::prepared($value->jsonSerialize(), $name);
        }
        if ($value instanceof stdClass) {
            return (object) self::preparedFields((array) $value);
        }
        if (!is_array($value)) {
            return $value;
        }
        if ($value === [] && in_array($name, Operations::OBJECT_FIELDS, true)) {
            return new stdClass();
        }
        return self::preparedFields(in_array($name, Operations::LIST_FIELDS, true) ? array_values($value) : $value);
    }

    /**
     * @param array<mixed> $fields
     * @return array<mixed>
     */
    private static function preparedFields(#[\SensitiveParameter] array $fields): array
    {
        foreach ($fields as $name => $value) {
            $fields[$name] = self::prepared($value, $name);
        }
        return $fields;
    }
}
