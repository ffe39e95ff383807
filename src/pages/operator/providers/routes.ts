import { type DashboardContext, type OperatorRoute, sendDashboardPage } from '../../dashboard/context.ts';
import { get } from '../../dashboard/route.ts';
import { providersPage } from './views.tsx';

/** How the providers work, and what the operator has to put right. */
export const providerRoutes = ({ site, operator }: DashboardContext): OperatorRoute[] => [
  get('/dashboard/operator/providers', 'operator.pages', async (visit, _request, reply) =>
    sendDashboardPage(reply, 200, providersPage({ site, visit, report: await operator.providers() })),
  ),
];
