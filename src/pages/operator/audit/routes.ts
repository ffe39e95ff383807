import type { FastifyRequest } from 'fastify';
import { type DashboardContext, type OperatorRoute, sendDashboardPage } from '../../dashboard/context.ts';
import { get } from '../../dashboard/route.ts';
import { queryOf } from '../../kit/request.ts';
import { AUDITED_ACTORS, type PlatformAuditLogFilter, readPlatformAuditLog } from './reads.ts';
import { platformAuditLogPage } from './views.tsx';

const PAGE_SIZE = 50;
const VALUE_MAX = 64;

/** The audit log of everything: every shop's, and what belongs to none. */
export const platformAuditLogRoutes = ({ pool, site }: DashboardContext): OperatorRoute[] => [
  get('/dashboard/operator/audit', 'operator.pages', async (visit, request, reply) => {
    const { filter, cursor } = auditQuery(request);
    const log = await readPlatformAuditLog(pool, filter, cursor, PAGE_SIZE);
    return sendDashboardPage(reply, 200, platformAuditLogPage({ site, visit, filter, cursor, log }));
  }),
];

/** A value that makes no sense narrows nothing. */
function auditQuery(request: FastifyRequest): { filter: PlatformAuditLogFilter; cursor: string | null } {
  const query = queryOf(request);
  const text = (name: string): string | null => (query[name] ?? '').trim().slice(0, VALUE_MAX) || null;
  return {
    filter: {
      business: text('business'),
      actor: AUDITED_ACTORS.find((actor) => actor === query.actor) ?? null,
      action: text('action'),
    },
    cursor: query.cursor ?? null,
  };
}
