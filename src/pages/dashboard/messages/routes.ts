import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ListedMessage } from '../../../contract/messages.ts';
import { idAt } from '../../../messages/read.ts';
import { type CsvCell, sendCsv } from '../../kit/csv.ts';
import { formOf, textIn } from '../../kit/request.ts';
import {
  actionContext,
  type DashboardContext,
  markFor,
  type ShopRoute,
  type ShopVisit,
  sendDashboardPage,
} from '../context.ts';
import { asDownload } from '../download.ts';
import { orderPath } from '../orders/path.ts';
import { get, nothingHere, post } from '../route.ts';
import { recordMessageExport } from './actions.ts';
import { type MessagesFilter, messagesPath } from './filters.tsx';
import { findMessages } from './find.ts';
import { auditedFilter, filterIn, listFilters, openWords, sealWords, UNFILTERED } from './query.ts';
import { everyMessage, listForMember, type MessageListFilters, pageCursor } from './reads.ts';
import { findRecipientById } from './sql.ts';
import { messagesPage } from './views.tsx';

const PAGE_SIZE = 25;
const SEARCH_MAX = 320;

interface WhatIsListed {
  filters: MessageListFilters;
  email: string | null;
  words: string | null;
}

/** The list of messages, its search and its file. */
export function messageListRoutes(context: DashboardContext): ShopRoute[] {
  const { pool, clock, site, sealer, downloads } = context;
  /** Null: the person was erased since or never one of this shop's, or the search is not this shop's. */
  const listedFor = async ({ shop }: ShopVisit, filter: MessagesFilter): Promise<WhatIsListed | null> => {
    const { recipient, find } = filter;
    const [person] = recipient === null ? [] : await findRecipientById(pool, shop.id, recipient);
    const words = find === null ? null : openWords(sealer, shop.id, find);
    if ((recipient !== null && !person) || (find !== null && words === null)) return null;
    const email = person?.email ?? null;
    return { filters: listFilters(filter, email, words), email, words };
  };

  const send = async (
    visit: ShopVisit,
    request: FastifyRequest,
    reply: FastifyReply,
    filter: MessagesFilter,
    notFound: string | null = null,
  ): Promise<FastifyReply> => {
    const { id } = visit.shop;
    const [seen, listed] = await Promise.all([markFor(context, request, id, null), listedFor(visit, filter)]);
    if (listed === null) throw nothingHere();
    const { filters, email, words } = listed;
    const before = filter.cursor === null ? null : idAt(filter.cursor);
    const { items, nextBefore } = await listForMember(pool, id, filters, before, PAGE_SIZE, clock.now());
    const list = { items, next_cursor: pageCursor(nextBefore) };
    const page = messagesPage({ site, visit, filter, email, words, list, notFound, seen });
    return sendDashboardPage(reply, 200, page);
  };

  return [
    get('/dashboard/:business_id/messages', 'shop.view', (visit, request, reply) =>
      send(visit, request, reply, filterIn(request)),
    ),
    get(
      '/dashboard/:business_id/messages.csv',
      { action: 'message.export', isStream: true },
      asDownload(context, async (visit, request, reply, isStillAllowed) => {
        const filter = filterIn(request);
        const listed = await listedFor(visit, filter);
        if (listed === null) throw nothingHere();
        const { recipient: id } = filter;
        const recipient = id === null || listed.email === null ? null : { id, email: listed.email };
        const act = actionContext(context, visit);
        await recordMessageExport(pool, act, auditedFilter(filter), recipient);
        const pages = everyMessage(pool, visit.shop.id, listed.filters, act.now);
        return sendCsv(request, reply, MESSAGES_CSV, downloads.read(request, pages, isStillAllowed));
      }),
    ),
    // By POST, so that no address that is searched for gets into a URL.
    post('/dashboard/:business_id/messages/search', 'shop.view', async (visit, request, reply) => {
      const typed = typedIn(request);
      const { id } = visit.shop;
      const leadTo = (path: string): FastifyReply => reply.redirect(site.to(path), 303);
      const list = (filter: Partial<MessagesFilter>): FastifyReply => leadTo(messagesPath(id, filter));
      if (typed === '') return list({});
      const found = await findMessages(pool, id, typed);
      switch (found.kind) {
        case 'message':
          return leadTo(`/dashboard/${id}/messages/${found.id}`);
        case 'recipient':
          return list({ recipient: found.id });
        case 'reference':
          return leadTo(orderPath(id, found.reference));
        case 'words':
          return list({ find: sealWords(sealer, id, found.words.join(' ')) });
        case 'nothing':
          return send(visit, request, reply, UNFILTERED, typed);
      }
    }),
  ];
}

const typedIn = (request: FastifyRequest): string => textIn(formOf(request), 'text', SEARCH_MAX);

const CSV_HEADER = [
  'id',
  'created_at',
  'recipient_email',
  'subject',
  'reference',
  'order_status',
  'status',
  'email_delivered_at',
  'opened_at',
  'email_bounced_at',
  'email_complained_at',
  'email_not_sent',
  'email_failed',
  'sms',
  'sms_reason',
  'sms_credits',
  'whatsapp',
  'whatsapp_reason',
  'whatsapp_credits',
] as const;

const MESSAGES_CSV = { fileName: 'messages.csv', header: CSV_HEADER, row: csvRow };

/** In the words of the API. */
function csvRow({ delivery, ...message }: ListedMessage): CsvCell[] {
  const { sms, whatsapp } = delivery;
  return [
    message.id,
    message.created_at,
    message.recipient_email,
    message.subject,
    message.reference,
    message.order_status,
    message.status,
    delivery.delivered_at,
    delivery.opened_at,
    delivery.bounced_at,
    delivery.complained_at,
    delivery.not_sent?.reason ?? null,
    delivery.failed?.reason ?? null,
    sms?.status ?? null,
    sms?.skipped_reason ?? sms?.error_code ?? null,
    sms?.credits_charged ?? null,
    whatsapp?.status ?? null,
    whatsapp?.skipped_reason ?? whatsapp?.error_code ?? null,
    whatsapp?.credits_charged ?? null,
  ];
}
