import { actingKey } from '../../businesses/audit.ts';
import { IDEMPOTENCY_KEY_MAX } from '../../config/limits.ts';
import { ErasureReport, RecipientParams, WhatsappErasureReceipt } from '../../contract/recipients.ts';
import type { Client } from '../../db/pool.ts';
import { type ErasureRequest, eraseRecipient } from '../../erasure/erasure.ts';
import { eraseWhatsapp } from '../../erasure/erasureWhatsapp.ts';
import { answerOnce, type KeyClaim } from '../../idempotency/idempotency.ts';
import { coalesce } from '../../kit/coalesce.ts';
import { cancelSends } from '../../outbox/cancelSends.ts';
import { type Call, type OperationDeps, operation, type Reply } from '../operation.ts';
import { erasureExamples } from './examples.ts';

/** An erasure can take long and holds a connection meanwhile: this leaves most connections to others. */
const ERASURES_AT_ONCE = 4;
const WAITING_MAX = 1_000;

const onOne = {
  method: 'POST',
  tag: 'Recipients',
  params: RecipientParams,
  idempotencyKeyMax: IDEMPOTENCY_KEY_MAX,
} as const;

export function erasureOperations(deps: OperationDeps) {
  const erasing = createErasing(deps);
  return [eraseReplies(deps, erasing), eraseAll(deps, erasing)];
}

/** The reply names nobody and is stored under no person's id, so it survives the erasure that it reports. */
function createErasing({ pool, clock, hash, onEvents }: OperationDeps) {
  const erasures = coalesce<() => Promise<Reply>, Reply>({
    concurrency: ERASURES_AT_ONCE,
    maxItems: 1,
    maxWaiting: WAITING_MAX,
    run: async (works) => Promise.all(works.map((work) => work())),
  });
  return (
    scope: KeyClaim['scope'],
    erase: (tx: Client, who: ErasureRequest) => Promise<{ answer: object; deliveries: number }>,
  ) =>
    ({ caller, params, idempotencyKey }: Call<{ email: string }, unknown, unknown>): Promise<Reply> => {
      const { businessId, keyId } = caller;
      const who = { businessId, email: params.email, actor: actingKey(keyId) };
      // Keyed: the row outlives the address.
      const fingerprint = hash.hex('email', params.email);
      return erasures.add(async () => {
        const claim: KeyClaim = { businessId, scope, key: idempotencyKey, fingerprint, now: clock.now() };
        const reply = await answerOnce(pool, claim, async (tx) => {
          const { answer, deliveries } = await erase(tx, who);
          return { status: 200, body: JSON.stringify(answer), recipientId: null, deliveries };
        });
        if (!reply.replayed && reply.done.deliveries > 0) onEvents();
        return reply;
      });
    };
}

type Erasing = ReturnType<typeof createErasing>;

const eraseReplies = (deps: OperationDeps, erasing: Erasing) =>
  operation({
    ...onOne,
    id: 'eraseWhatsappHistory',
    path: '/api/v1/recipients/{email}/whatsapp/erase',
    summary: 'Erase what a recipient wrote on WhatsApp',
    description:
      'Deletes the stored replies and their copies in queued webhook deliveries, and withdraws WhatsApp consent for good. ' +
      'Keeps the number, the messages sent and the delivery log. It cannot be undone. A retry with the same key replays ' +
      'the original counts; `first_erased_at` shows which happened.',
    success: { status: 200, shape: WhatsappErasureReceipt, description: 'What was erased.' },
    errors: ['recipient.not_found', 'request.conflict'],
    examples: { response: erasureExamples.receipt },
    handle: erasing('erase_whatsapp', async (tx, who) => {
      const { receipt, recipientId, now } = await eraseWhatsapp(tx, deps, who);
      const waiting = { businessId: who.businessId, recipientId, channels: ['whatsapp'] } as const;
      const { deliveries } = await cancelSends(tx, waiting, 'stopped', now);
      return { answer: receipt, deliveries };
    }),
  });

const eraseAll = (deps: OperationDeps, erasing: Erasing) =>
  operation({
    ...onOne,
    id: 'eraseRecipient',
    path: '/api/v1/recipients/{email}/erase',
    summary: 'Erase everything about a recipient',
    description:
      'Deletes the recipient with their messages, sends, replies and links, and takes them out of queued webhook deliveries ' +
      'and stored responses; sends still waiting are cancelled. Suppressions and opt-outs stay in force without keeping ' +
      'the person. An address that was never messaged answers zeros. It cannot be undone.',
    success: { status: 200, shape: ErasureReport, description: 'What was deleted, and what was kept.' },
    errors: ['request.conflict'],
    examples: { response: erasureExamples.report },
    handle: erasing('erase', async (tx, who) => ({
      answer: await eraseRecipient(tx, deps, who),
      deliveries: 0,
    })),
  });
