import { readOutboxReport } from '../../../dashboard/operator/outbox.ts';
import { type DashboardContext, type OperatorRoute, sendDashboardPage } from '../context.ts';
import { outboxPage } from './views/outbox.tsx';

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
