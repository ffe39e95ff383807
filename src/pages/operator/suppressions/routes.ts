import { actingMember } from '../../../businesses/audit.ts';
import { transaction } from '../../../db/transaction.ts';
import { email } from '../../../kit/typedValues.ts';
import { platformSuppressionOf } from '../../../recipients/stopsSql.ts';
import { liftForAll } from '../../../recipients/suppressions.ts';
import type { DashboardContext, OperatorRoute } from '../../dashboard/context.ts';
import { get, post } from '../../dashboard/route.ts';
import type { Flashes } from '../../kit/flash.ts';
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
export function platformSuppressionRoutes({ pool, clock, hash }: DashboardContext): OperatorRoute[] {
  const path = '/dashboard/operator/suppressions';
  return [
    get(path, { action: 'operator.pages', flashes: FLASHES }, async (visit) =>
      platformSuppressionsPage(visit, null, EMPTY_FORM),
    ),
    // By POST, so that no address gets into a URL.
    post(path, 'operator.pages', async (visit, request) => {
      const form = typedForm(request);
      const address = form.required('email', 'This', email);
      if (address === undefined)
        return { ...platformSuppressionsPage(visit, null, form.refused() ?? EMPTY_FORM), status: 422 };
      if (form.text('act') === 'lift') {
        const lift = { email: address, actor: actingMember(visit.session.memberId) };
        const lifted = await transaction(pool, (tx) => liftForAll(tx, hash, lift, clock.now()));
        const flash: keyof typeof FLASHES = lifted ? 'lifted' : 'nothing_lifted';
        return { goTo: `${path}?flash=${flash}` };
      }
      const [row] = await platformSuppressionOf(pool, hash('email', address));
      return platformSuppressionsPage(visit, { email: address, since: row?.at ?? null }, EMPTY_FORM);
    }),
  ];
}
