import { recordAudit } from '../businesses/audit.ts';
import type { WhatsappErasureReceipt } from '../contract/recipients.ts';
import type { Client } from '../db/pool.ts';
import { ApiError } from '../kit/errors.ts';
import { lockNumber, newId } from '../kit/ids.ts';
import { waitForRecipient } from '../recipients/sql.ts';
import { insertConsentEntry } from '../recipients/stopsSql.ts';
import { deleteWebhookResponses, PERSONAL_IN_EVENTS, scrubEvents } from './copiesSql.ts';
import type { ErasureDeps, ErasureRequest } from './erasure.ts';
import { deleteReplies, dropReplyWindow, keepStop, lockWriter, withdrawConsent } from './sql.ts';

/**
 * Erases a person's WhatsApp replies and withdraws their consent to WhatsApp permanently (interface 2.11), in the caller's
 * transaction. The number, the messages sent and the delivery log stay.
 */
export async function eraseWhatsapp(
  tx: Client,
  { clock, hash }: ErasureDeps,
  { businessId, email, actor }: ErasureRequest,
) {
  await waitForRecipient(tx, lockNumber('recipient', businessId, email));
  const [person] = await lockWriter(tx, businessId, email);
  if (!person) throw new ApiError('recipient.not_found');
  const now = clock.now();
  const [deleted] = await deleteReplies(tx, businessId, person.id);
  const type = 'whatsapp.inbound_message';
  const [payloads] = await scrubEvents(tx, businessId, person.id, PERSONAL_IN_EVENTS, type);
  await deleteWebhookResponses(tx, businessId, [person.id], type);
  const [consent] = await withdrawConsent(tx, businessId, person.id, now);
  const withdrawn = person.whatsapp_status !== 'stopped';
  if (withdrawn)
    await insertConsentEntry(tx, businessId, newId(now), person.id, 'whatsapp', 'withdrawn', 'erasure', now);
  let windows = 0;
  if (person.phone !== null) {
    const numberHash = hash('phone', person.phone);
    await keepStop(tx, businessId, 'whatsapp', numberHash, 'dashboard', now);
    windows = (await dropReplyWindow(tx, businessId, numberHash))[0]?.count ?? 0;
  }
  const recipient = { id: person.id, email };
  await recordAudit(tx, now, { businessId, actor, action: 'recipient.whatsapp_erased', recipient });
  const receipt: WhatsappErasureReceipt = {
    replies_deleted: deleted?.replies_deleted ?? 0,
    webhook_payloads_scrubbed: payloads?.webhook_payloads_scrubbed ?? 0,
    auto_reply_windows_dropped: windows,
    consent_withdrawn: withdrawn,
    replies_a_forward_email_may_have_carried: deleted?.replies_a_forward_email_may_have_carried ?? 0,
    forward_setting: person.forward_setting,
    first_erased_at: (consent?.first_erased_at ?? now).toISOString(),
  };
  return { receipt, recipientId: person.id, now };
}
