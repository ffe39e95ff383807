<?php

declare(strict_types=1);

namespace Waypost\Resources;

use DateTimeInterface;
use Waypost\Exception\BatchException;
use Waypost\Exception\WaypostException;
use Waypost\Generated\Types;
use Waypost\Internal\Batch;
use Waypost\Internal\Caller;
use Waypost\Internal\Check;
use Waypost\Internal\Json;
use Waypost\Paged;

/**
 * Pushing updates, and what became of them.
 *
 * @phpstan-import-type BatchResult from Types
 * @phpstan-import-type ListedMessage from Types
 * @phpstan-import-type Message from Types
 * @phpstan-import-type Push from Types
 * @phpstan-import-type PushPreview from Types
 * @phpstan-import-type PushResult from Types
 * @phpstan-import-type RetractResult from Types
 * @phpstan-import-type SmsOutcome from Types
 * @phpstan-import-type Timeline from Types
 * @phpstan-import-type WhatsappOutcome from Types
 */
final class Messages
{
    /** @internal */
    public function __construct(private readonly Caller $caller)
    {
    }

    /**
     * Pushes an update about an order. It is stored when this returns; `sms` and `whatsapp` say whether those go.
     *
     * @param Push $push
     * @return PushResult
     */
    public function push(#[\SensitiveParameter] array $push, ?string $idempotencyKey = null): array
    {
        return $this->caller->call('pushMessage', 'messages.push', body: $push, idempotencyKey: $idempotencyKey);
    }

    /**
     * Pushes any number of updates, a hundred per call, in order. Every item succeeds or fails alone: check each `ok`.
     * The deadline holds for each call. Throws a BatchException, which has the results until then.
     *
     * @param array<Push> $pushes
     * @return BatchResult
     */
    public function pushBatch(#[\SensitiveParameter] array $pushes, ?string $idempotencyKey = null): array
    {
        $key = Check::idempotencyKey($idempotencyKey);
        $chunks = Batch::chunks($pushes, $key);
        // Before anything is sent: else a fault in the tenth call would be found after nine.
        Json::encode($pushes);
        $items = [];
        foreach ($chunks as $start => ['items' => $part, 'key' => $partKey]) {
            try {
                $answer = $this->caller->call(
                    'pushBatch',
                    'messages.pushBatch',
                    body: ['items' => $part],
                    idempotencyKey: $partKey,
                );
            } catch (WaypostException $error) {
                throw BatchException::after($items, $key, $error);
            }
            foreach ($answer['items'] as $item) {
                $items[] = ['index' => $start + $item['index']] + $item;
            }
        }
        $succeeded = count(array_filter(array_column($items, 'ok')));
        return ['items' => $items, 'succeeded' => $succeeded, 'failed' => count($items) - $succeeded];
    }

    /**
     * What a push would do, in which words and at which cost. Nothing is stored or sent.
     *
     * @param Push $push
     * @return PushPreview
     */
    public function preview(#[\SensitiveParameter] array $push): array
    {
        return $this->caller->call('previewPush', 'messages.preview', body: $push);
    }

    /**
     * Messages, newest first: `foreach ($waypost->messages->list() as $message)`.
     *
     * @param 'active'|'obsolete'|'retracted'|null $status
     * @return Paged<ListedMessage>
     */
    public function list(
        #[\SensitiveParameter] ?string $recipientEmail = null,
        ?string $reference = null,
        ?string $status = null,
        string|DateTimeInterface|null $createdAfter = null,
        string|DateTimeInterface|null $createdBefore = null,
        ?int $limit = null,
        ?string $cursor = null,
    ): Paged {
        $query = [
            'recipient_email' => $recipientEmail,
            'reference' => $reference,
            'status' => $status,
            'created_after' => $createdAfter,
            'created_before' => $createdBefore,
            'limit' => $limit,
        ];
        $read = fn (?string $at): array
            => $this->caller->call('listMessages', 'messages.list', query: $query + ['cursor' => $at]);
        return new Paged($read, $cursor);
    }

    /**
     * A message and what became of its nudges.
     *
     * @return Message
     */
    public function get(string $id): array
    {
        return $this->caller->call('getMessage', 'messages.get', path: ['public_id' => $id]);
    }

    /**
     * Everything that was decided about a message and happened to it, in sentences for your staff.
     *
     * @return Timeline
     */
    public function timeline(string $id): array
    {
        return $this->caller->call('getTimeline', 'messages.timeline', path: ['public_id' => $id]);
    }

    /**
     * Retracts a message. Nudges that have not gone out are cancelled and cost nothing.
     *
     * @return RetractResult
     */
    public function retract(string $id, ?string $idempotencyKey = null): array
    {
        return $this->caller->call(
            'retractMessage',
            'messages.retract',
            path: ['public_id' => $id],
            idempotencyKey: $idempotencyKey,
        );
    }

    /**
     * Sends the text of a message whose text never went out, as after a top-up.
     *
     * @return SmsOutcome
     */
    public function resendSms(string $id, ?string $idempotencyKey = null): array
    {
        return $this->caller->call(
            'resendSms',
            'messages.resendSms',
            path: ['public_id' => $id],
            idempotencyKey: $idempotencyKey,
        );
    }

    /**
     * The same for its WhatsApp message.
     *
     * @return WhatsappOutcome
     */
    public function resendWhatsapp(string $id, ?string $idempotencyKey = null): array
    {
        return $this->caller->call(
            'resendWhatsapp',
            'messages.resendWhatsapp',
            path: ['public_id' => $id],
            idempotencyKey: $idempotencyKey,
        );
    }
}
