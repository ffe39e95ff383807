import type { FastifyReply } from 'fastify';
import { actingMember } from '../../../businesses/audit.ts';
import { transaction } from '../../../db/transaction.ts';
import { email } from '../../../kit/typedValues.ts';
import { platformSuppressionOf } from '../../../recipients/stopsSql.ts';
import { liftForAll } from '../../../recipients/suppressions.ts';
import { type DashboardContext, type OperatorRoute, sendDashboardPage } from '../../dashboard/context.ts';
import { get, post } from '../../dashboard/route.ts';
import { type Flashes, flashIn } from '../../kit/flash.ts';
import { EMPTY_FORM, typedForm } from '../../kit/typedForm.ts';
import { platformSuppressionsPage } from './views.tsx';

const FLASHES = {
  lifted: [
    'good',
    'Every shop on the shared domain may email this address again, unless it has a reason of its own not to.',
  ],
  nothing_lifted: ['waiting', 'Nothing was changed: this address was not suppressed for all shops.'],
} satisfies Flashes;

/** Addresses that nobody mails from the shared domain: only hashes are kept, so one is looked up by who knows it. */
export function platformSuppressionRoutes({ pool, clock, hash, site }: DashboardContext): OperatorRoute[] {
  const path = '/dashboard/operator/suppressions';
  const action = 'operator.pages';
  return [
    get(path, action, async (visit, request, reply) => {
      const flash = flashIn(request, FLASHES);
      const page = platformSuppressionsPage({ site, visit, found: null, flash, form: EMPTY_FORM });
      return sendDashboardPage(reply, 200, page);
    }),
    // By POST, so that no address gets into a URL.
    post(path, action, async (visit, request, reply) => {
      const form = typedForm(request);
      const address = form.required('email', 'This', email);
      if (address === undefined) {
        const refused = form.refused() ?? EMPTY_FORM;
        const page = platformSuppressionsPage({ site, visit, found: null, flash: null, form: refused });
        return sendDashboardPage(reply, 422, page);
      }
      if (form.text('act') === 'lift') {
        const asked = { email: address, actor: actingMember(visit.session.memberId) };
        const lifted = await transaction(pool, (tx) => liftForAll(tx, hash, asked, clock.now()));
        return back(reply, lifted ? 'lifted' : 'nothing_lifted');
      }
      const [row] = await platformSuppressionOf(pool, hash('email', address));
      const found = { email: address, since: row?.at ?? null };
      const page = platformSuppressionsPage({ site, visit, found, flash: null, form: EMPTY_FORM });
      return sendDashboardPage(reply, 200, page);
    }),
  ];

  function back(reply: FastifyReply, flash: keyof typeof FLASHES): FastifyReply {
    return reply.redirect(site.to(`${path}?flash=${flash}`), 303);
  }
}
