import type { FastifyReply } from 'fastify';
import { actingMember } from '../../../businesses/audit.ts';
import { transaction } from '../../../db/transaction.ts';
import { email } from '../../../kit/typedValues.ts';
import { platformSuppressionOf } from '../../../recipients/stopsSql.ts';
import { liftForAll } from '../../../recipients/suppressions.ts';
import { type DashboardContext, type OperatorRoute, sendDashboardPage } from '../../dashboard/context.ts';
import { queryOf } from '../../kit/request.ts';
import { EMPTY_FORM, typedForm } from '../typedForm.ts';
import { type DidToPlatform, isDidToPlatform, platformSuppressionsPage } from './views.tsx';

/** Addresses that nobody mails from the shared domain: only hashes are kept, so one is looked up by who knows it. */
export function platformSuppressionRoutes({ pool, clock, hash, site }: DashboardContext): OperatorRoute[] {
  const path = '/dashboard/operator/suppressions';
  const action = 'operator.pages';
  return [
    {
      method: 'GET',
      path,
      action,
      async handle(visit, request, reply) {
        const { did: text } = queryOf(request);
        const did = isDidToPlatform(text) ? text : null;
        const page = platformSuppressionsPage({ site, visit, found: null, did, form: EMPTY_FORM });
        return sendDashboardPage(reply, 200, page);
      },
    },
    {
      // By POST, so that no address gets into a URL.
      method: 'POST',
      path,
      action,
      async handle(visit, request, reply) {
        const form = typedForm(request);
        const address = form.required('email', 'This', email);
        if (address === undefined) {
          const refused = form.refused() ?? EMPTY_FORM;
          const page = platformSuppressionsPage({ site, visit, found: null, did: null, form: refused });
          return sendDashboardPage(reply, 422, page);
        }
        if (form.text('act') === 'lift') {
          const asked = { email: address, actor: actingMember(visit.session.memberId) };
          const lifted = await transaction(pool, (tx) => liftForAll(tx, hash, asked, clock.now()));
          return back(reply, lifted ? 'lifted' : 'nothing_lifted');
        }
        const [row] = await platformSuppressionOf(pool, hash('email', address));
        const found = { email: address, since: row?.at ?? null };
        const page = platformSuppressionsPage({ site, visit, found, did: null, form: EMPTY_FORM });
        return sendDashboardPage(reply, 200, page);
      },
    },
  ];

  function back(reply: FastifyReply, did: DidToPlatform): FastifyReply {
    return reply.redirect(site.to(`${path}?did=${did}`), 303);
  }
}
