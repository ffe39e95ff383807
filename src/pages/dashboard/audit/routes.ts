import { queryOf } from '../../kit/request.ts';
import type { DashboardContext, OperatorRoute, ShopRoute } from '../context.ts';
import { get } from '../route.ts';
import { AUDITED_ACTORS, readAuditLog, readPlatformAuditNames, readShopAuditNames } from './reads.ts';
import { auditPage, platformAuditPage } from './views.tsx';
import { auditActions } from './words.ts';

const VALUE_MAX = 64;

/** A value of a filter that makes no sense narrows nothing. */
const actorIn = (text: string | undefined) => AUDITED_ACTORS.find((actor) => actor === text) ?? null;
const valueIn = (text = ''): string | null => text.trim().slice(0, VALUE_MAX) || null;

/** Who did what in this shop. */
export const auditRoutes = ({ pool }: DashboardContext): ShopRoute[] => [
  get('/settings/audit', 'shop.view', async (visit, request) => {
    const { from, action: requested, cursor = null } = queryOf(request);
    const action = auditActions.find(([known]) => known === requested)?.[0] ?? null;
    const filter = { business: visit.shop.id, actor: actorIn(from), action };
    const log = await readAuditLog(pool, filter, cursor);
    const names = await readShopAuditNames(pool, visit.shop.id, log.items);
    return auditPage(visit, { log, filter, cursor, names });
  }),
];

/** The audit log of everything: every shop's, and what belongs to none. */
export const platformAuditRoutes = ({ pool }: DashboardContext): OperatorRoute[] => [
  get('/dashboard/operator/audit', 'operator.pages', async (visit, request) => {
    const { business, actor, action, cursor = null } = queryOf(request);
    const filter = { business: valueIn(business), actor: actorIn(actor), action: valueIn(action) };
    const log = await readAuditLog(pool, filter, cursor);
    const names = await readPlatformAuditNames(pool, log.items);
    return platformAuditPage(visit, { log, filter, cursor, names });
  }),
];
