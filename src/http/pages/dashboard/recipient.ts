import { findRecipientById } from '../../../dashboard/messagesSql.ts';
import { listMessages } from '../../../messages/read.ts';
import { viewRecipient } from '../../../recipients/view.ts';
import { fieldOf } from '../inbox/context.ts';
import { type DashboardContext, type ShopRoute, sendDashboardPage } from './context.ts';
import { nothingHerePage } from './views/notices.tsx';
import { recipientPage } from './views/recipient.tsx';

const MESSAGES_SHOWN = 10;

/** One person, by id: addresses stay out of URLs. */
export const recipientRoutes = ({ pool, hash, site }: DashboardContext): ShopRoute[] => [
  {
    method: 'GET',
    path: '/dashboard/:business_id/recipients/:recipient_id',
    action: 'shop.view',
    async handle(visit, request, reply) {
      const businessId = visit.shop.id;
      const id = fieldOf(request.params, 'recipient_id') ?? '';
      const [found] = await findRecipientById(pool, businessId, id);
      if (!found) return sendDashboardPage(reply, 404, nothingHerePage(site));
      const [recipient, { items }] = await Promise.all([
        viewRecipient(pool, hash, { businessId, email: found.email }),
        listMessages(pool, businessId, { recipientEmail: found.email, limit: MESSAGES_SHOWN, before: null }),
      ]);
      return sendDashboardPage(reply, 200, recipientPage({ site, visit, id, recipient, messages: items }));
    },
  },
];
