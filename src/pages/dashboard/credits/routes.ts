import type { FastifyReply } from 'fastify';
import { LARGEST_COUNT, parseCount } from '../../../kit/wholeNumber.ts';
import { type CsvCell, sendCsv } from '../../kit/csv.ts';
import { type Flash, type Flashes, flashIn } from '../../kit/flash.ts';
import { formOf, queryOf } from '../../kit/request.ts';
import {
  actionContext,
  type DashboardContext,
  type ShopRoute,
  type ShopVisit,
  sendDashboardPage,
} from '../context.ts';
import { asDownload } from '../download.ts';
import { get, post } from '../route.ts';
import {
  type BalancedEntry,
  readCreditsPage,
  readLedger,
  setThresholdAsMember,
  wholeLedger,
} from './reads.ts';
import { creditsPage, type ThresholdFault } from './views.tsx';

const FLASHES = {
  threshold_set: ['good', 'The threshold was changed.'],
  threshold_same: ['waiting', 'Nothing was changed: this was the threshold already.'],
} satisfies Flashes;

const PAGE_SIZE = 25;
const TYPED_MAX = 40;

/** What the shop's credits are, were and paid for. */
export function creditsRoutes(context: DashboardContext): ShopRoute[] {
  const { pool, clock, site, downloads } = context;
  const send = async (
    visit: ShopVisit,
    reply: FastifyReply,
    {
      cursor = null,
      flash = null,
      fault = null,
    }: { cursor?: string | null; flash?: Flash | null; fault?: ThresholdFault | null },
  ): Promise<FastifyReply> => {
    const [credits, ledger] = await Promise.all([
      readCreditsPage(pool, visit.shop.id, clock.now()),
      readLedger(pool, visit.shop.id, cursor, PAGE_SIZE),
    ]);
    const page = creditsPage({ site, visit, credits, ledger, cursor, flash, fault });
    return sendDashboardPage(reply, fault === null ? 200 : 422, page);
  };
  return [
    get('/dashboard/:business_id/credits', 'shop.view', (visit, request, reply) => {
      const { cursor = null } = queryOf(request);
      return send(visit, reply, { cursor, flash: flashIn(request, FLASHES) });
    }),
    get(
      '/dashboard/:business_id/credits/ledger.csv',
      'shop.view',
      asDownload(context, async ({ shop }, request, reply, isStillAllowed) => {
        const table = { fileName: `credits-${shop.id}.csv`, header: CSV_HEADER, row: csvRow };
        const pages = wholeLedger(pool, shop.id);
        return sendCsv(request, reply, table, downloads.read(request, pages, isStillAllowed));
      }),
    ),
    post('/dashboard/:business_id/credits/threshold', 'settings.change', async (visit, request, reply) => {
      const typed = (formOf(request).get('threshold') ?? '').trim().slice(0, TYPED_MAX);
      const threshold = parseCount(typed, 0);
      if (threshold === null) return send(visit, reply, { fault: { typed, says: NOT_A_COUNT } });
      const act = actionContext(context, visit);
      const changed = await setThresholdAsMember(pool, act, threshold);
      const flash: keyof typeof FLASHES = changed ? 'threshold_set' : 'threshold_same';
      return reply.redirect(site.to(`/dashboard/${visit.shop.id}/credits?flash=${flash}`), 303);
    }),
  ];
}

const NOT_A_COUNT = `The low-balance threshold must be a whole number from 0 to ${LARGEST_COUNT.toLocaleString('en-GB')}.`;

const CSV_HEADER = ['time', 'kind', 'credits', 'balance', 'channel', 'country', 'message', 'note'];

const csvRow = (entry: BalancedEntry): CsvCell[] => [
  entry.at,
  entry.kind,
  entry.amount,
  entry.balance,
  entry.channel,
  entry.country,
  entry.message_id,
  entry.note,
];
