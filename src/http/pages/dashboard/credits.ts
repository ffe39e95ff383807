import type { FastifyReply } from 'fastify';
import {
  readCreditsPage,
  readLedger,
  setThresholdAsMember,
  wholeLedger,
} from '../../../dashboard/credits.ts';
import type { Pool } from '../../../db/pool.ts';
import { LARGEST_COUNT, parseCount } from '../../../kit/wholeNumber.ts';
import { type CsvCell, sendCsv } from '../../csv.ts';
import { parseQuery } from '../../validation/urlText.ts';
import { formOf } from '../inbox/context.ts';
import { type DashboardContext, type ShopRoute, type ShopVisit, sendDashboardPage } from './context.ts';
import { creditsPage, type DidToCredits, isDidToCredits, type ThresholdFault } from './views/credits.tsx';

const PAGE_SIZE = 25;
const TYPED_MAX = 40;

/** What the shop's credits are, were and paid for. */
export function creditsRoutes({ pool, clock, site }: DashboardContext): ShopRoute[] {
  const send = async (
    visit: ShopVisit,
    reply: FastifyReply,
    {
      cursor = null,
      did = null,
      fault = null,
    }: { cursor?: string | null; did?: DidToCredits | null; fault?: ThresholdFault | null },
  ): Promise<FastifyReply> => {
    const [credits, ledger] = await Promise.all([
      readCreditsPage(pool, visit.shop.id, clock.now()),
      readLedger(pool, visit.shop.id, cursor, PAGE_SIZE),
    ]);
    const page = creditsPage({ site, visit, credits, ledger, cursor, did, fault });
    return sendDashboardPage(reply, fault === null ? 200 : 422, page);
  };
  return [
    {
      method: 'GET',
      path: '/dashboard/:business_id/credits',
      action: 'shop.view',
      handle: (visit, request, reply) => {
        const { cursor = null, did } = parseQuery(request.url.split('?').slice(1).join('?'));
        return send(visit, reply, { cursor, did: isDidToCredits(did) ? did : null });
      },
    },
    {
      method: 'GET',
      path: '/dashboard/:business_id/credits/ledger.csv',
      action: 'shop.view',
      handle: async ({ shop }, _request, reply) =>
        sendCsv(reply, `credits-${shop.id}.csv`, CSV_HEADER, ledgerRows(pool, shop.id)),
    },
    {
      method: 'POST',
      path: '/dashboard/:business_id/credits/threshold',
      action: 'settings.change',
      async handle(visit, request, reply) {
        const typed = (formOf(request).get('threshold') ?? '').trim().slice(0, TYPED_MAX);
        const threshold = parseCount(typed, 0);
        if (threshold === null) return send(visit, reply, { fault: { typed, says: NOT_A_COUNT } });
        const act = { businessId: visit.shop.id, memberId: visit.session.memberId, now: clock.now() };
        const changed = await setThresholdAsMember(pool, act, threshold);
        const did: DidToCredits = changed ? 'threshold_set' : 'threshold_same';
        return reply.redirect(site.to(`/dashboard/${visit.shop.id}/credits?did=${did}`), 303);
      },
    },
  ];
}

const NOT_A_COUNT = `The low-balance threshold must be a whole number from 0 to ${LARGEST_COUNT.toLocaleString('en-GB')}.`;

const CSV_HEADER = ['time', 'kind', 'credits', 'balance', 'channel', 'country', 'message', 'note'];

async function* ledgerRows(pool: Pool, businessId: string): AsyncGenerator<CsvCell[]> {
  for await (const { at, kind, amount, balance, channel, country, message_id, note } of wholeLedger(
    pool,
    businessId,
  ))
    yield [at, kind, amount, balance, channel, country, message_id, note];
}
