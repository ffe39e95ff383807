import type { PaidChannel } from '../contract/channels.ts';
import { groupBy } from '../kit/groupBy.ts';
import { rowFrom } from '../recipients/recipientRow.ts';
import type { Decision } from './decide.ts';
import type { WriteSet } from './writeSet.ts';

type UsageParameters = [
  businessIds: string[],
  messages: number[],
  smsSkipped: number[],
  whatsappSkipped: number[],
];

/** The parameters of `writeGroupInserts` after `now`, in order. */
type InsertParameters = [recipients: string, pushes: string, ...UsageParameters];

/**
 * The rows of a group in which every push only adds a message, its email and its response, as most do; one row holds all
 * three. Null: the group changes something else, too. A batch adds a row with its key.
 */
export function insertRows(now: Date, { decided, batchRecords }: WriteSet): InsertParameters | null {
  const isPlain = batchRecords.length <= 1 && decided.every(({ decision }) => onlyAdds(decision));
  if (!isPlain) return null;
  const at = now.toISOString();
  const recipients = decided
    .filter(({ decision }) => decision.recipientChange === 'insert')
    .map(({ decision: { businessId, recipient } }) => ({
      business_id: businessId,
      ...rowFrom(recipient),
      created_at: at,
    }));
  const pushes: unknown[] = decided.map(({ decision, answer: { key, fingerprint, response }, by, trace }) => {
    const { businessId, message, result } = decision;
    const [email] = decision.sends;
    return {
      business_id: businessId,
      id: message.id,
      recipient_id: message.recipientId,
      subject: message.subject,
      body: message.body,
      kind: message.kind,
      reference: message.reference ?? undefined,
      order_status: message.orderStatus ?? undefined,
      tracking_number: message.trackingNumber ?? undefined,
      scheduled_for: message.scheduledFor?.toISOString(),
      sms_skipped: result.sms?.skipped_reason ?? undefined,
      whatsapp_skipped: result.whatsapp?.skipped_reason ?? undefined,
      pushed_by: by ?? undefined,
      send_id: email?.id,
      due_at: email?.dueAt === now ? undefined : email?.dueAt?.toISOString(),
      key,
      fingerprint,
      response,
      trace_context: trace,
    };
  });
  pushes.push(...batchRecords);
  return [
    JSON.stringify(recipients),
    JSON.stringify(pushes),
    ...usageOfInserts(decided.map(({ decision }) => decision)),
  ];
}

/** The same as `usageOfPush` for these pushes, by business in the order in which every transaction writes the counters. */
function usageOfInserts(decisions: readonly Decision[]): UsageParameters {
  const byBusiness = [...groupBy(decisions, ({ businessId }) => businessId)].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const skipped = (channel: PaidChannel) =>
    byBusiness.map(
      ([, ours]) => ours.filter(({ result }) => (result[channel]?.skipped_reason ?? null) !== null).length,
    );
  return [
    byBusiness.map(([businessId]) => businessId),
    byBusiness.map(([, ours]) => ours.length),
    skipped('sms'),
    skipped('whatsapp'),
  ];
}

function onlyAdds(decision: Decision): boolean {
  const { created, recipientChange, sends, cancelled, obsoleted, consent, events, setAside } = decision;
  const otherChanges = cancelled.length + obsoleted.length + consent.length + events.length;
  return (
    created &&
    decision.message.milestoneAt === null &&
    (recipientChange === 'insert' || recipientChange === 'none') &&
    otherChanges === 0 &&
    setAside === 0 &&
    atMostOneEmail(sends)
  );
}

const atMostOneEmail = (sends: Decision['sends']): boolean =>
  sends.length <= 1 &&
  sends.every(
    ({ channel, purpose, state }) => channel === 'email' && purpose === 'nudge' && state === 'queued',
  );
