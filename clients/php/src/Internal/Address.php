<?php

declare(strict_types=1);

namespace Waypost\Internal;

use InvalidArgumentException;

/** Where the service is. */
final class Address
{
    private function __construct(
        /** Without a slash at its end, and without the path that every call begins with. */
        public readonly string $url,
        /** The host, with its port where one was given: it names the service in messages. */
        public readonly string $authority,
    ) {
    }

    public static function parse(?string $baseUrl): self
    {
        $url = preg_replace('~(/api/v1)?/*\z~', '', rtrim($baseUrl ?? '', '/')) ?? '';
        // What is not ASCII cannot stand in the head of a request.
        if (preg_match('~\Ahttps?://([!-\~]+)\z~', $url) === 1 && preg_match('~[?#@]~', $url) === 0) {
            $parts = parse_url($url);
            if (isset($parts['host'])) {
                return new self($url, $parts['host'] . (isset($parts['port']) ? ":{$parts['port']}" : ''));
            }
        }
        throw new InvalidArgumentException(
            'Waypost needs a baseUrl, or the variable WAYPOST_BASE_URL: the http(s) address of your service, '
            . 'without a user or a query',
        );
    }
}
