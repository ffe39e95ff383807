<?php

declare(strict_types=1);

namespace Waypost\Resources;

use Waypost\Generated\Types;
use Waypost\Internal\Caller;

/**
 * The people whom you messaged, by their address.
 *
 * @phpstan-import-type ErasureReport from Types
 * @phpstan-import-type Recipient from Types
 * @phpstan-import-type RecipientExport from Types
 * @phpstan-import-type RecipientSms from Types
 * @phpstan-import-type WhatsappErasureReceipt from Types
 */
final class Recipients
{
    /** @internal */
    public function __construct(private readonly Caller $caller)
    {
    }

    /**
     * Language, number, consent and stops of a recipient.
     *
     * @return Recipient
     */
    public function get(#[\SensitiveParameter] string $email): array
    {
        return $this->caller->call('getRecipient', 'recipients.get', path: ['email' => $email]);
    }

    /**
     * Everything that is held about a person, for their right of access.
     *
     * @return RecipientExport
     */
    public function export(#[\SensitiveParameter] string $email): array
    {
        return $this->caller->call('exportRecipient', 'recipients.export', path: ['email' => $email]);
    }

    /**
     * The number and whether it can be texted.
     *
     * @return RecipientSms
     */
    public function sms(#[\SensitiveParameter] string $email): array
    {
        return $this->caller->call('getRecipientSms', 'recipients.sms', path: ['email' => $email]);
    }

    /**
     * Sets the number. Setting the same one twice is the same as once, so the call is repeated like a read.
     *
     * @return RecipientSms
     */
    public function setPhone(
        #[\SensitiveParameter] string $email,
        #[\SensitiveParameter] string $phone,
    ): array {
        return $this->caller->call(
            'setRecipientPhone',
            'recipients.setPhone',
            path: ['email' => $email],
            body: ['phone' => $phone],
        );
    }

    /**
     * Clears the number. Stops are kept.
     *
     * @return RecipientSms
     */
    public function clearPhone(#[\SensitiveParameter] string $email): array
    {
        return $this->caller->call('clearRecipientPhone', 'recipients.clearPhone', path: ['email' => $email]);
    }

    /**
     * Erases what a person wrote on WhatsApp, and their consent to it. It cannot be undone.
     *
     * @return WhatsappErasureReceipt
     */
    public function eraseWhatsapp(#[\SensitiveParameter] string $email, ?string $idempotencyKey = null): array
    {
        return $this->caller->call(
            'eraseWhatsappHistory',
            'recipients.eraseWhatsapp',
            path: ['email' => $email],
            idempotencyKey: $idempotencyKey,
        );
    }

    /**
     * Erases everything about a person. It cannot be undone.
     *
     * @return ErasureReport
     */
    public function erase(#[\SensitiveParameter] string $email, ?string $idempotencyKey = null): array
    {
        return $this->caller->call(
            'eraseRecipient',
            'recipients.erase',
            path: ['email' => $email],
            idempotencyKey: $idempotencyKey,
        );
    }
}
