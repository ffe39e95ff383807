import { type DashboardContext, type OperatorRoute, sendDashboardPage } from '../../dashboard/context.ts';
import { readOutboxReport } from './reads.ts';
import { outboxPage } from './views.tsx';

/** What waits to be sent, and for how long. */
export const outboxRoutes = ({ pool, clock, site }: DashboardContext): OperatorRoute[] => [
  {
    method: 'GET',
    path: '/dashboard/operator/outbox',
    action: 'operator.pages',
    async handle(visit, _request, reply) {
      const now = clock.now();
      const report = await readOutboxReport(pool, now);
      return sendDashboardPage(reply, 200, outboxPage({ site, visit, report, now }));
    },
  },
];
