<?php

declare(strict_types=1);

namespace Waypost\Resources;

use DateTimeInterface;
use Waypost\Internal\Json;
use Waypost\Internal\Path;
use Waypost\Internal\Repeat;
use Waypost\Internal\Request;
use Waypost\Internal\Transport;

/**
 * For tests of your shop against a service with sandbox providers: see what a customer got, answer as the customer,
 * report as a provider, and move the service's clock. Calls that change something are repeated only if they certainly
 * had no effect.
 *
 * @phpstan-type CapturedMessage array{
 *     id: string,
 *     channel: 'email'|'sms'|'whatsapp',
 *     to: string,
 *     business_id: string,
 *     message_id: string|null,
 *     subject: string|null,
 *     text: string,
 *     html: string|null,
 *     headers: array<string, string>|null,
 *     template: mixed,
 *     provider_id: string|null,
 *     at: string,
 *     outcome: string,
 * }
 */
final class Sandbox
{
    /** @internal */
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * What was sent, newest first: by a channel, to an address or a number, about a message. `text` is what the person
     * reads; `provider_id` names it in `report`.
     *
     * @param 'email'|'sms'|'whatsapp'|null $channel
     * @return list<CapturedMessage>
     */
    public function outbox(
        ?string $channel = null,
        #[\SensitiveParameter] ?string $to = null,
        ?string $messageId = null,
    ): array {
        $query = Path::query(['channel' => $channel, 'to' => $to, 'message_id' => $messageId]);
        return $this->read('sandbox.outbox', "/sandbox/outbox.json$query")['items'];
    }

    /**
     * A new business with a key of its own, so that tests do not meet: make a client with `api_key`.
     *
     * @return array{business_id: string, api_key: string}
     */
    public function createBusiness(?string $name = null, ?int $credits = null): array
    {
        return $this->change('sandbox.createBusiness', '/sandbox/businesses', ['name' => $name, 'credits' => $credits]);
    }

    /**
     * The person opens the message.
     *
     * @return array{opened: bool}
     */
    public function open(string $messageId): array
    {
        return $this->change('sandbox.open', '/sandbox/open', ['message_id' => $messageId]);
    }

    /**
     * Returns once nothing is due or under way any more, at the present time.
     *
     * @return array{now: string}
     */
    public function settle(): array
    {
        return $this->change('sandbox.settle', '/sandbox/clock', ['advance_seconds' => 0]);
    }

    /**
     * The service's time, and how far it was moved.
     *
     * @return array{now: string, offset_seconds: int|float}
     */
    public function clock(): array
    {
        return $this->read('sandbox.clock', '/sandbox/clock');
    }

    /**
     * Moves the clock of the whole service forward; the parts are added. Returns once everything that became due was
     * done.
     *
     * @return array{now: string}
     */
    public function advance(float $seconds = 0, float $minutes = 0, float $hours = 0, float $days = 0): array
    {
        $step = ['advance_seconds' => $seconds + 60 * ($minutes + 60 * ($hours + 24 * $days))];
        return $this->change('sandbox.advance', '/sandbox/clock', $step);
    }

    /**
     * Moves the clock forward to a time (RFC 3339, or a DateTimeInterface).
     *
     * @return array{now: string}
     */
    public function advanceTo(string|DateTimeInterface $to): array
    {
        return $this->change('sandbox.advanceTo', '/sandbox/clock', ['to' => $to]);
    }

    /**
     * The person with this number texts: `STOP`, `START`, anything. `businessId` says to whom, where several businesses
     * have messaged the number.
     *
     * @return array{received: bool}
     */
    public function inboundSms(
        #[\SensitiveParameter] string $from,
        #[\SensitiveParameter] string $body,
        ?string $businessId = null,
    ): array {
        $message = ['from' => $from, 'body' => $body, 'business_id' => $businessId];
        return $this->change('sandbox.inboundSms', '/sandbox/sms/inbound', $message);
    }

    /**
     * The person replies on WhatsApp.
     *
     * @return array{received: bool}
     */
    public function inboundWhatsapp(
        #[\SensitiveParameter] string $from,
        #[\SensitiveParameter] string $body,
        ?string $businessId = null,
    ): array {
        $message = ['from' => $from, 'body' => $body, 'business_id' => $businessId];
        return $this->change('sandbox.inboundWhatsapp', '/sandbox/whatsapp/inbound', $message);
    }

    /**
     * A provider reports. `known` is false if it never took such a message.
     *
     * @param 'delivered'|'bounced'|'complained'|'failed'|'rejected'|'read' $status
     * @return array{provider_id: string, status: string, error_code?: string|null, known: bool}
     */
    public function report(string $providerId, string $status, ?string $errorCode = null): array
    {
        $report = ['provider_id' => $providerId, 'status' => $status, 'error_code' => $errorCode];
        return $this->change('sandbox.report', '/sandbox/reports', $report);
    }

    private function read(string $operation, #[\SensitiveParameter] string $path): mixed
    {
        return $this->transport->send(
            new Request($operation, 'GET', $path, $this->transport->settings->sandboxKey),
        );
    }

    /** @param array<string, mixed> $body What is null is left out. */
    private function change(string $operation, string $path, #[\SensitiveParameter] array $body): mixed
    {
        $given = array_filter($body, static fn (mixed $value): bool => $value !== null);
        return $this->transport->send(new Request(
            operation: $operation,
            method: 'POST',
            path: $path,
            authorization: $this->transport->settings->sandboxKey,
            body: Json::encode($given),
            repeat: Repeat::IfUntouched,
            // A clock that moves far has much to do before it answers.
            attemptSeconds: $this->transport->settings->deadlineSeconds,
        ));
    }
}
