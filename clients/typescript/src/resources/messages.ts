import { BatchError, type BatchItem, type BatchOutcome, batchItem, chunksOf } from '../batch.ts';
import type { Call } from '../call.ts';
import { randomKey } from '../crypto.ts';
import type {
  ListedMessage,
  ListMessagesQuery,
  Message,
  Push,
  PushPreview,
  PushResult,
  RetractResult,
  SmsOutcome,
  Timeline,
  WhatsappOutcome,
} from '../generated/api.ts';
import { sendableKey } from '../keys.ts';
import { Paged } from '../pages.ts';
import type { WaypostPromise } from '../response.ts';
import type { CallOptions, WriteOptions } from '../transport.ts';

/** Pushing updates, and what became of them. */
export class Messages {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Pushes an update about an order. It is stored when this resolves; `sms` and `whatsapp` say whether those go. */
  push(push: Push, options?: WriteOptions): WaypostPromise<PushResult> {
    return this.#call('pushMessage', { operation: 'messages.push', body: push, options });
  }

  /**
   * Pushes any number of updates, a hundred per call, in order. Every item succeeds or fails alone: check each `ok`. The
   * deadline holds for each call. Rejects with a BatchError, which has the results until then.
   */
  async pushBatch(pushes: readonly Push[], options: WriteOptions = {}): Promise<BatchOutcome> {
    const key = sendableKey('idempotencyKey', options.idempotencyKey ?? (await randomKey()));
    const items: BatchItem[] = [];
    for (const chunk of chunksOf(pushes, key)) {
      try {
        const answer = await this.#call('pushBatch', {
          operation: 'messages.pushBatch',
          body: { items: chunk.items },
          options: { ...options, idempotencyKey: chunk.key },
        });
        items.push(...answer.items.map((item) => batchItem(item, chunk.start)));
      } catch (error) {
        throw new BatchError(items, key, error);
      }
    }
    const succeeded = items.filter(({ ok }) => ok).length;
    return { items, succeeded, failed: items.length - succeeded };
  }

  /** What a push would do, in which words and at which cost. Nothing is stored or sent. */
  preview(push: Push, options?: CallOptions): WaypostPromise<PushPreview> {
    return this.#call('previewPush', { operation: 'messages.preview', body: push, options });
  }

  /** Messages, newest first: `for await (const message of waypost.messages.list())`. */
  list(query: ListMessagesQuery = {}, options?: CallOptions): Paged<ListedMessage> {
    return new Paged(
      (cursor) =>
        this.#call('listMessages', { operation: 'messages.list', query: { ...query, cursor }, options }),
      query.cursor,
    );
  }

  /** A message and what became of its nudges. */
  get(id: string, options?: CallOptions): WaypostPromise<Message> {
    return this.#call('getMessage', { operation: 'messages.get', path: { public_id: id }, options });
  }

  /** Everything that was decided about a message and happened to it, in sentences for your staff. */
  timeline(id: string, options?: CallOptions): WaypostPromise<Timeline> {
    return this.#call('getTimeline', { operation: 'messages.timeline', path: { public_id: id }, options });
  }

  /** Retracts a message. Nudges that have not gone out are cancelled and cost nothing. */
  retract(id: string, options?: WriteOptions): WaypostPromise<RetractResult> {
    return this.#call('retractMessage', { operation: 'messages.retract', path: { public_id: id }, options });
  }

  /** Sends the text of a message whose text never went out, as after a top-up. */
  resendSms(id: string, options?: WriteOptions): WaypostPromise<SmsOutcome> {
    return this.#call('resendSms', { operation: 'messages.resendSms', path: { public_id: id }, options });
  }

  /** The same for its WhatsApp message. */
  resendWhatsapp(id: string, options?: WriteOptions): WaypostPromise<WhatsappOutcome> {
    const path = { public_id: id };
    return this.#call('resendWhatsapp', { operation: 'messages.resendWhatsapp', path, options });
  }
}
