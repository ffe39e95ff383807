import type { FastifyRequest } from 'fastify';
import { paidChannels } from '../../../contract/channels.ts';
import { messageCursors } from '../../../messages/list.ts';
import type { MessageWithPlan } from '../../../messages/plans.ts';
import { type CsvColumn, sendCsv } from '../../kit/csv.ts';
import { queryOf } from '../../kit/request.ts';
import { actionContext, type DashboardContext, markFor, type ShopRoute, type ShopVisit } from '../context.ts';
import type { Page } from '../layout.tsx';
import { asDownload, get, orNothingHere } from '../route.ts';
import { recordDownload } from './actions.ts';
import { auditedFilter, filterIn, listFilters, type MessagesFilter, openWords } from './query.ts';
import { everyMessage, listForMember } from './reads.ts';
import { findRecipientById } from './sql.ts';
import { messagesPage } from './views.tsx';

/** The list of messages and its file. */
export function messageListRoutes(context: DashboardContext): ShopRoute[] {
  const { pool, clock, downloads } = context;
  const showList = async (
    visit: ShopVisit,
    request: FastifyRequest,
    filter: MessagesFilter,
  ): Promise<Page> => {
    const { id } = visit.shop;
    const [seen, listed] = await Promise.all([
      markFor(context, request, id, {}),
      listedFor(context, visit, filter),
    ]);
    const { filters, email, words } = listed;
    const listing = { businessId: id, filters, now: clock.now() };
    const before = filter.cursor === null ? null : messageCursors.idIn(filter.cursor);
    const { items, nextBefore } = await listForMember(pool, listing, before);
    const older = nextBefore === null ? null : messageCursors.at(nextBefore);
    return messagesPage({ visit, filter, email, words, items, older, seen });
  };

  return [
    get('/messages', 'shop.view', (visit, request) => showList(visit, request, filterIn(queryOf(request)))),
    get(
      '/messages.csv',
      { action: 'message.export', isStream: true },
      asDownload(context, async (visit, request, reply, isStillAllowed) => {
        const filter = filterIn(queryOf(request));
        const { filters, email } = await listedFor(context, visit, filter);
        const { now, ...who } = actionContext(context, visit);
        const recipient = filter.recipient !== null && email !== null && { id: filter.recipient, email };
        const entry = { ...who, detail: { filter: auditedFilter(filter) }, ...(recipient && { recipient }) };
        await recordDownload(pool, now, { ...entry, action: 'message.exported' });
        const pages = everyMessage(pool, { businessId: visit.shop.id, filters, now });
        const table = { fileName: 'messages.csv', columns: CSV_COLUMNS };
        return { sent: sendCsv(request, reply, table, downloads.read(request, pages, isStillAllowed)) };
      }),
    ),
  ];
}

/** Nothing is here if the customer was erased since or never one of this shop's, or if the search is not this shop's. */
async function listedFor({ pool, sealer }: DashboardContext, { shop }: ShopVisit, filter: MessagesFilter) {
  const { recipient, find } = filter;
  const [found] = recipient === null ? [] : await findRecipientById(pool, shop.id, recipient);
  const email = recipient === null ? null : orNothingHere(found).email;
  const words = find === null ? null : orNothingHere(openWords(sealer, shop.id, find));
  return { filters: listFilters(filter, email, words), email, words };
}

/** In the words of the API. */
const CSV_COLUMNS: readonly CsvColumn<MessageWithPlan>[] = [
  ['id', ({ id }) => id],
  ['created_at', (message) => message.created_at],
  ['recipient_email', (message) => message.recipient_email],
  ['subject', ({ subject }) => subject],
  ['reference', ({ reference }) => reference],
  ['order_status', (message) => message.order_status],
  ['status', ({ status }) => status],
  ['email_delivered_at', ({ delivery }) => delivery.delivered_at],
  ['opened_at', ({ delivery }) => delivery.opened_at],
  ['email_bounced_at', ({ delivery }) => delivery.bounced_at],
  ['email_complained_at', ({ delivery }) => delivery.complained_at],
  ['email_not_sent', ({ delivery }) => delivery.not_sent?.reason ?? null],
  ['email_failed', ({ delivery }) => delivery.failed?.reason ?? null],
  ...paidChannels.flatMap((channel): CsvColumn<MessageWithPlan>[] => [
    [
      channel,
      ({
        outcomes: {
          [channel]: [outcome],
        },
      }) => (outcome === 'none' ? null : (outcome ?? null)),
    ],
    [
      `${channel}_reason`,
      ({ delivery }) => delivery[channel]?.skipped_reason ?? delivery[channel]?.error_code ?? null,
    ],
    [`${channel}_credits`, ({ delivery }) => delivery[channel]?.credits_charged ?? null],
  ]),
];
