import { type DashboardContext, type OperatorRoute, sendDashboardPage } from '../../dashboard/context.ts';
import { get } from '../../dashboard/route.ts';
import { readOutboxReport } from './reads.ts';
import { outboxPage } from './views.tsx';

/** What waits to be sent, and for how long. */
export const outboxRoutes = ({ pool, clock, site }: DashboardContext): OperatorRoute[] => [
  get('/dashboard/operator/outbox', 'operator.pages', async (visit, _request, reply) => {
    const now = clock.now();
    const report = await readOutboxReport(pool, now);
    return sendDashboardPage(reply, 200, outboxPage({ site, visit, report, now }));
  }),
];
