import type { PaidChannel } from '../contract/channels.ts';
import type { RecipientView } from '../contract/recipients.ts';
import type { Queryable } from '../db/statement.ts';
import { ApiError } from '../kit/errors.ts';
import { maskPhone } from '../kit/phoneNumber.ts';
import type { Hasher } from '../kit/seal.ts';
import { type ConsentRow, shownSource } from './consentSource.ts';
import type { StopMaker } from './recipient.ts';
import { countMessages, findRecipient, findWhatsappStop, listConsents, type StoredRecipient } from './sql.ts';
import { listSuppressions } from './stopsSql.ts';

/** More than there are reasons. */
const SUPPRESSIONS_MAX = 10;

/** A recipient as a merchant sees it; `email` is normalised. */
export async function viewRecipient(
  db: Queryable,
  hash: Hasher,
  { businessId, email }: { businessId: string; email: string },
): Promise<RecipientView> {
  const [row] = await findRecipient(db, businessId, email);
  if (!row) throw new ApiError('recipient.not_found');
  const [counted] = await countMessages(db, businessId, row.id);
  const suppressions = await listSuppressions(db, businessId, hash('email', email), SUPPRESSIONS_MAX);
  const stops = row.phone === null ? [] : await findWhatsappStop(db, businessId, hash('phone', row.phone));
  const consents = await listConsents(db, businessId, row.id);
  const stopOfNumber = stops[0]?.made_by ?? null;
  return {
    recipient_email: row.email,
    language: row.language,
    first_seen_at: row.created_at.toISOString(),
    messages: counted?.messages ?? 0,
    phone: row.phone === null ? null : maskPhone(row.phone),
    sms: {
      status: row.sms_status,
      at: row.sms_status_at?.toISOString() ?? null,
      source: row.sms_stopped_by ?? lastSource(consents, 'sms', stopOfNumber),
    },
    whatsapp: {
      status: row.whatsapp_status,
      at: row.whatsapp_status_at?.toISOString() ?? null,
      source: lastSource(consents, 'whatsapp', stopOfNumber),
    },
    email: emailStanding(row, suppressions),
    consents: consents.map((entry) => ({
      at: entry.at.toISOString(),
      channel: entry.channel,
      action: entry.action,
      source: shownSource(entry, stopOfNumber),
    })),
  };
}

/** The last change of a channel is what its status comes from. */
function lastSource(consents: readonly ConsentRow[], channel: PaidChannel, stopOfNumber: StopMaker | null) {
  const last = consents.filter((entry) => entry.channel === channel).at(-1);
  return last === undefined ? null : shownSource(last, stopOfNumber);
}

/** The reasons in the order in which they are reported: the person's own decision first, as the gates do. */
const REASONS = [
  ['complaint', 'complaint'],
  ['bounce', 'hard_bounce'],
  ['operator', 'operator'],
] as const;

function emailStanding(
  { unsubscribed_at }: StoredRecipient,
  suppressions: Awaited<ReturnType<typeof listSuppressions>>,
): RecipientView['email'] {
  const of = (reason: string) => suppressions.find((one) => one.reason === reason);
  const unsubscribed = unsubscribed_at ?? of('unsubscribe')?.at ?? null;
  const first = REASONS.flatMap(([stored, reason]) => {
    const found = of(stored);
    return found ? [{ reason, at: found.at }] : [];
  }).at(0);
  const shown = unsubscribed === null ? first : { reason: 'unsubscribed' as const, at: unsubscribed };
  return {
    unsubscribed: unsubscribed !== null,
    suppressed: first !== undefined,
    reason: shown?.reason ?? null,
    at: shown?.at.toISOString() ?? null,
  };
}
