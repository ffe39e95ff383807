import type { FastifyReply } from 'fastify';
import { listWithPlans } from '../../../messages/plans.ts';
import { viewRecipient } from '../../../recipients/view.ts';
import { type Flash, type Flashes, flashIn } from '../../kit/flash.ts';
import { paramOf } from '../../kit/request.ts';
import { type DashboardContext, type ShopRoute, type ShopVisit, sendDashboardPage } from '../context.ts';
import { findRecipientById } from '../messages/sql.ts';
import { get, nothingHere } from '../route.ts';
import type { NumberFault } from './actionViews.tsx';
import { suppressionsOf } from './reads.ts';
import { recipientPage } from './recipientView.tsx';

const FLASHES = {
  number_set: ['good', 'The number was saved.'],
  number_same: ['waiting', 'Nothing was changed: this was their number already.'],
  number_cleared: ['good', 'The number was cleared.'],
  no_number: ['waiting', 'Nothing was changed: there was no number any more.'],
  sms_stopped: ['good', 'Texts are stopped. What was waiting does not go out.'],
  sms_stopped_before: ['waiting', 'Nothing was changed: texts were stopped here before.'],
  whatsapp_stopped: ['good', 'WhatsApp is stopped. What was waiting does not go out.'],
  whatsapp_stopped_before: ['waiting', 'Nothing was changed: WhatsApp was stopped before.'],
  lifted: ['good', 'Lifted: the next message is mailed again.'],
  lifted_partly: ['waiting', 'Lifted as far as you may. There is still a reason against email, below.'],
  nothing_lifted: ['waiting', 'Nothing was changed: there was nothing that you can lift.'],
} satisfies Flashes;
export type RecipientFlash = keyof typeof FLASHES;

const MESSAGES_SHOWN = 10;

interface RecipientState {
  flash?: Flash | null;
  /** What is wrong with the number that was typed. */
  fault?: NumberFault | null;
}

/** Shows a customer; null: the shop has none with this id. */
export async function sendRecipient(
  { pool, hash, site, clock }: DashboardContext,
  visit: ShopVisit,
  reply: FastifyReply,
  id: string,
  { flash = null, fault = null, status = 200 }: RecipientState & { status?: number },
): Promise<FastifyReply | null> {
  const businessId = visit.shop.id;
  const [found] = await findRecipientById(pool, businessId, id);
  if (!found) return null;
  const { email } = found;
  const [recipient, suppressions, { items }] = await Promise.all([
    viewRecipient(pool, hash, { businessId, email }),
    suppressionsOf(pool, hash, businessId, email),
    listWithPlans(
      pool,
      businessId,
      { recipientEmail: email, limit: MESSAGES_SHOWN, before: null },
      clock.now(),
    ),
  ]);
  const page = recipientPage({ site, visit, id, recipient, suppressions, messages: items, flash, fault });
  return sendDashboardPage(reply, status, page);
}

/** One person, by id: addresses stay out of URLs. */
export const recipientRoutes = (context: DashboardContext): ShopRoute[] => [
  get('/dashboard/:business_id/recipients/:recipient_id', 'shop.view', async (visit, request, reply) => {
    const id = paramOf(request, 'recipient_id');
    const sent = await sendRecipient(context, visit, reply, id, {
      flash: flashIn(request, FLASHES),
    });
    if (sent === null) throw nothingHere();
    return sent;
  }),
];
