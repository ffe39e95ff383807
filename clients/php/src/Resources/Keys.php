<?php

declare(strict_types=1);

namespace Waypost\Resources;

use Waypost\Generated\Types;
use Waypost\Internal\Caller;
use Waypost\Internal\Repeat;

/**
 * API keys.
 *
 * @phpstan-import-type ApiKeyList from Types
 * @phpstan-import-type CreateKey from Types
 * @phpstan-import-type CreatedApiKey from Types
 */
final class Keys
{
    /** @internal */
    public function __construct(private readonly Caller $caller)
    {
    }

    /**
     * Every active key, masked.
     *
     * @return ApiKeyList
     */
    public function list(): array
    {
        return $this->caller->call('listKeys', 'keys.list');
    }

    /**
     * Creates a key. Only this answer has the whole of it. The server knows no idempotency key here, so the call is
     * repeated only if it certainly had no effect: after a 429, or if no connection was made. After any other failure,
     * list the keys.
     *
     * @param CreateKey $key
     * @return CreatedApiKey
     */
    public function create(array $key = []): array
    {
        return $this->caller->call('createKey', 'keys.create', body: $key, repeat: Repeat::IfUntouched);
    }

    /** Revokes a key at once, with those that it created. Returns also if an attempt without an answer had revoked it. */
    public function revoke(string $id): void
    {
        $this->caller->call('revokeKey', 'keys.revoke', path: ['key_id' => $id], isDeletion: true);
    }
}
