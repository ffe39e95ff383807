<?php

declare(strict_types=1);

namespace Waypost\Internal;

use CurlHandle;

/** Requests with libcurl, which keeps the connection for the next one. */
final class CurlExchange implements Exchange
{
    /** An answer that is longer is cut off there, and then is no JSON. */
    private const ANSWER_MAX_BYTES = 64 * 1024 * 1024;
    /** The longest time that libcurl can count. */
    private const LONGEST_SECONDS = 2_000_000.0;

    private CurlHandle $handle;
    private int|false $processId;

    public function __construct()
    {
        $this->begin();
    }

    public function send(
        string $method,
        #[\SensitiveParameter] string $url,
        #[\SensitiveParameter] array $headers,
        #[\SensitiveParameter] ?string $body,
        float $timeoutSeconds,
        bool $isOnce,
    ): Answered|Unreached {
        if ($this->processId !== getmypid()) {
            // A fork: two processes that write to one connection would read each other's answers.
            $this->begin();
        }
        [$fields, $answer, $isCut] = [[], '', false];
        curl_reset($this->handle);
        curl_setopt_array($this->handle, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_URL => $url,
            CURLOPT_HTTPHEADER => self::lines($headers),
            CURLOPT_TIMEOUT_MS => (int) ceil(min($timeoutSeconds, self::LONGEST_SECONDS) * 1000),
            // libcurl repeats a request by itself if it finds a connection broken that it had kept.
            CURLOPT_FRESH_CONNECT => $isOnce,
            CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_1_1,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_FOLLOWLOCATION => false,
            // The other clients use no proxy of the environment, either.
            CURLOPT_PROXY => '',
            CURLOPT_NOSIGNAL => true,
            CURLOPT_HEADERFUNCTION => static function (CurlHandle $_, string $line) use (&$fields): int {
                $fields = self::withLine($fields, $line);
                return strlen($line);
            },
            CURLOPT_WRITEFUNCTION => static function (CurlHandle $_, string $part) use (&$answer, &$isCut): int {
                $isCut = strlen($answer) + strlen($part) > self::ANSWER_MAX_BYTES;
                $answer .= $isCut ? '' : $part;
                return $isCut ? 0 : strlen($part);
            },
        ]);
        if ($method !== 'GET') {
            curl_setopt($this->handle, CURLOPT_POSTFIELDS, $body ?? '');
        }
        curl_exec($this->handle);
        $number = curl_errno($this->handle);
        if ($number === CURLE_OK || $isCut) {
            return new Answered((int) curl_getinfo($this->handle, CURLINFO_RESPONSE_CODE), $fields, $answer);
        }
        return new Unreached(
            isTimeout: $number === CURLE_OPERATION_TIMEDOUT,
            notSent: curl_getinfo($this->handle, CURLINFO_REQUEST_SIZE) === 0,
            reason: (string) curl_strerror($number),
        );
    }

    private function begin(): void
    {
        $this->handle = curl_init();
        $this->processId = getmypid();
    }

    /**
     * Without libcurl's own headers: it would wait for a 100 Continue, and call a request without a body a form.
     *
     * @param array<string, string> $headers
     * @return list<string>
     */
    private static function lines(#[\SensitiveParameter] array $headers): array
    {
        $lines = ['Expect:'];
        foreach ($headers + ['Content-Type' => ''] as $name => $value) {
            $lines[] = "$name: $value";
        }
        return $lines;
    }

    /**
     * @param array<string, string> $fields
     * @return array<string, string>
     */
    private static function withLine(array $fields, string $line): array
    {
        if (str_starts_with($line, 'HTTP/')) {
            return []; // the head before was of a 1xx
        }
        [$name, $value] = explode(':', $line, 2) + [1 => null];
        return $value === null ? $fields : [...$fields, strtolower(trim($name)) => trim($value)];
    }
}
