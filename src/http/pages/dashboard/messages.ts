import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ListedMessage } from '../../../contract/messages.ts';
import { findMessages } from '../../../dashboard/findMessages.ts';
import { findRecipientById } from '../../../dashboard/messagesSql.ts';
import { idAt, listMessages } from '../../../messages/read.ts';
import { parseQuery } from '../../validation/urlText.ts';
import { formOf } from '../inbox/context.ts';
import { type DashboardContext, type ShopRoute, type ShopVisit, sendDashboardPage } from './context.ts';
import { type MessagesFilter, messagesPage, messagesPath } from './views/messages.tsx';
import { nothingHerePage } from './views/notices.tsx';

const PAGE_SIZE = 25;
const SEARCH_MAX = 320;
const STATUSES: readonly ListedMessage['status'][] = ['active', 'obsolete', 'retracted'];

/** The list of messages and its search. */
export function messageListRoutes({ pool, site }: DashboardContext): ShopRoute[] {
  const send = async (
    visit: ShopVisit,
    reply: FastifyReply,
    filter: MessagesFilter,
    notFound: string | null = null,
  ): Promise<FastifyReply> => {
    const { id } = visit.shop;
    const [recipient] = filter.recipient === null ? [] : await findRecipientById(pool, id, filter.recipient);
    // Erased since, or never one of this shop's.
    if (filter.recipient !== null && !recipient) return sendDashboardPage(reply, 404, nothingHerePage(site));
    const email = recipient?.email ?? null;
    const list = await listMessages(pool, id, {
      recipientEmail: email,
      reference: filter.reference,
      status: filter.status,
      limit: PAGE_SIZE,
      before: filter.cursor === null ? null : idAt(filter.cursor),
    });
    return sendDashboardPage(reply, 200, messagesPage({ site, visit, filter, email, list, notFound }));
  };

  return [
    {
      method: 'GET',
      path: '/dashboard/:business_id/messages',
      action: 'shop.view',
      handle: (visit, request, reply) => send(visit, reply, filterOf(request)),
    },
    {
      // By POST, so that no address that is searched for gets into a URL.
      method: 'POST',
      path: '/dashboard/:business_id/messages/search',
      action: 'shop.view',
      async handle(visit, request, reply) {
        const typed = (formOf(request).get('text') ?? '').replaceAll('\0', '').slice(0, SEARCH_MAX);
        const path = messagesPath(visit.shop.id, NO_FILTER);
        if (typed.trim() === '') return reply.redirect(site.to(path), 303);
        const found = await findMessages(pool, visit.shop.id, typed);
        switch (found.kind) {
          case 'message':
            return reply.redirect(site.to(`/dashboard/${visit.shop.id}/messages/${found.id}`), 303);
          case 'recipient':
            return reply.redirect(
              site.to(messagesPath(visit.shop.id, { ...NO_FILTER, recipient: found.id })),
              303,
            );
          case 'reference':
            return reply.redirect(
              site.to(messagesPath(visit.shop.id, { ...NO_FILTER, reference: found.reference })),
              303,
            );
          case 'nothing':
            return send(visit, reply, NO_FILTER, typed.trim());
        }
      },
    },
  ];
}

const NO_FILTER: MessagesFilter = { recipient: null, reference: null, status: null, cursor: null };

function filterOf(request: FastifyRequest): MessagesFilter {
  const query = parseQuery(request.url.split('?').slice(1).join('?'));
  const text = (name: string): string | null =>
    (query[name] ?? '').replaceAll('\0', '').slice(0, SEARCH_MAX) || null;
  return {
    recipient: text('recipient'),
    reference: text('reference'),
    status: STATUSES.find((status) => status === query.status) ?? null,
    cursor: text('cursor'),
  };
}
