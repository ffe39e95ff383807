<?php

declare(strict_types=1);

namespace Waypost\Internal;

use InvalidArgumentException;

/** Keys and secrets, before they are used. */
final class Check
{
    /** A key that was read with the line's end would otherwise be part of the next line of the request. */
    public static function apiKey(string $name, #[\SensitiveParameter] ?string $key): string
    {
        if (preg_match('/\A[!-~]+\z/', $key ?? '') !== 1) {
            throw new InvalidArgumentException(
                "Waypost needs $name as printable ASCII characters without a space: way_live_…",
            );
        }
        return (string) $key;
    }

    /** The caller's key, or a random one. It is part of a request's head, and the server takes 255 characters. */
    public static function idempotencyKey(?string $key): string
    {
        $key ??= bin2hex(random_bytes(16));
        if (preg_match('/\A[!-~](?:[ -~]{0,253}[!-~])?\z/', $key) !== 1) {
            throw new InvalidArgumentException(
                'idempotencyKey must be 1 to 255 printable ASCII characters, without a space at either end',
            );
        }
        return $key;
    }

    /**
     * The secrets of an endpoint.
     *
     * @param string|array<string> $secret
     * @return non-empty-list<string>
     */
    public static function secrets(string $caller, #[\SensitiveParameter] string|array $secret): array
    {
        $secrets = array_values((array) $secret);
        foreach ($secrets === [] ? [''] : $secrets as $one) {
            if (!is_string($one) || $one === '') {
                throw new InvalidArgumentException(
                    "$caller needs the secret of the endpoint: whsec_… (is its variable set?)",
                );
            }
        }
        return $secrets;
    }
}
