import type { FastifyReply } from 'fastify';
import { listWithPlans } from '../../../messages/plans.ts';
import { viewRecipient } from '../../../recipients/view.ts';
import { paramOf, queryOf } from '../../kit/request.ts';
import { type DashboardContext, type ShopRoute, type ShopVisit, sendDashboardPage } from '../context.ts';
import { findRecipientById } from '../messages/sql.ts';
import { nothingHerePage } from '../notices.tsx';
import type { NumberFault } from './actionViews.tsx';
import { suppressionsOf } from './reads.ts';
import { type DidToRecipient, isDidToRecipient, recipientPage } from './recipientView.tsx';

const MESSAGES_SHOWN = 10;

interface RecipientState {
  did?: DidToRecipient | null;
  /** What is wrong with the number that was typed. */
  fault?: NumberFault | null;
}

/** Shows a customer; null: the shop has none with this id. */
export async function sendRecipient(
  { pool, hash, site, clock }: DashboardContext,
  visit: ShopVisit,
  reply: FastifyReply,
  id: string,
  { did = null, fault = null, status = 200 }: RecipientState & { status?: number },
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
  const page = recipientPage({ site, visit, id, recipient, suppressions, messages: items, did, fault });
  return sendDashboardPage(reply, status, page);
}

/** One person, by id: addresses stay out of URLs. */
export const recipientRoutes = (context: DashboardContext): ShopRoute[] => [
  {
    method: 'GET',
    path: '/dashboard/:business_id/recipients/:recipient_id',
    action: 'shop.view',
    async handle(visit, request, reply) {
      const { did } = queryOf(request);
      const id = paramOf(request, 'recipient_id');
      const sent = await sendRecipient(context, visit, reply, id, {
        did: isDidToRecipient(did) ? did : null,
      });
      return sent ?? sendDashboardPage(reply, 404, nothingHerePage(context.site));
    },
  },
];
