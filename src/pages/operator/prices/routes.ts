import { actingMember } from '../../../businesses/audit.ts';
import { changePrice, MAX_CREDITS_PER_MESSAGE } from '../../../businesses/prices.ts';
import { listPrices } from '../../../businesses/sql.ts';
import { transaction } from '../../../db/transaction.ts';
import { count, country } from '../../../kit/typedValues.ts';
import type { DashboardContext, OperatorRoute } from '../../dashboard/context.ts';
import { get, post } from '../../dashboard/route.ts';
import type { Flashes } from '../../kit/flash.ts';
import { EMPTY_FORM, typedForm } from '../../kit/typedForm.ts';
import { areGiven } from '../fields.ts';
import { pricesPage } from './views.tsx';

const FLASHES = {
  price_set: ['good', 'The price was set. It holds from the next push on.'],
  price_same: ['waiting', 'Nothing was changed: this was the price already.'],
} satisfies Flashes;

/** What a text or WhatsApp message costs, by country. */
export function priceRoutes({ pool, clock }: DashboardContext): OperatorRoute[] {
  const path = '/dashboard/operator/prices';
  return [
    get(path, { action: 'operator.pages', flashes: FLASHES }, async (visit) =>
      pricesPage(visit, await listPrices(pool), EMPTY_FORM),
    ),
    post(path, 'operator.pages', async (visit, request) => {
      const form = typedForm(request);
      const wanted = {
        country: form.required('country', 'The country', country),
        credits: form.required('credits', 'The price', count(1, MAX_CREDITS_PER_MESSAGE)),
        actor: actingMember(visit.session.memberId),
      };
      if (!areGiven(wanted))
        return { ...pricesPage(visit, await listPrices(pool), form.refused() ?? EMPTY_FORM), status: 422 };
      const changed = await transaction(pool, (tx) => changePrice(tx, clock.now(), wanted));
      const flash: keyof typeof FLASHES = changed ? 'price_set' : 'price_same';
      return { goTo: `${path}?flash=${flash}` };
    }),
  ];
}
