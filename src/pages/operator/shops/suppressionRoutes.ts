import { transaction } from '../../../db/transaction.ts';
import { email } from '../../../kit/typedValues.ts';
import { liftSuppressions } from '../../../recipients/suppressions.ts';
import type { DashboardContext, OperatorRoute } from '../../dashboard/context.ts';
import type { Redirect } from '../../dashboard/layout.tsx';
import { suppressionsOf } from '../../dashboard/recipients/reads.ts';
import { get, post } from '../../dashboard/route.ts';
import type { Flashes } from '../../kit/flash.ts';
import { EMPTY_FORM, typedForm } from '../../kit/typedForm.ts';
import { suppressForShop } from './actions.ts';
import { OPERATED_SHOP, onShop, type ShopActionHandler } from './shopRoutes.ts';
import { shopSuppressionsPage } from './suppressions.tsx';

const FLASHES = {
  added: ['good', 'The shop does not email this address any more.'],
  added_before: ['waiting', 'Nothing was changed: an operator had stopped this address before.'],
  lifted: ['good', 'The shop may email this address again.'],
  lifted_partly: [
    'waiting',
    'What you can lift was lifted. The person unsubscribed, and only they can undo that.',
  ],
  nothing_lifted: ['waiting', 'Nothing was changed: there is nothing here that an operator can lift.'],
} satisfies Flashes;

/** The addresses that a shop does not email: looked up by POST, so that none gets into a URL. */
export function shopSuppressionRoutes(context: DashboardContext): OperatorRoute[] {
  const { pool, clock, hash } = context;
  const path = `${OPERATED_SHOP}/suppressions`;

  const submit: ShopActionHandler = async ({ settings, businessId, actor }, visit, request) => {
    const back = (flash: keyof typeof FLASHES): Redirect => ({
      goTo: `/dashboard/operator/shops/${businessId}/suppressions?flash=${flash}`,
    });
    const form = typedForm(request);
    const address = form.required('email', 'This', email);
    if (address === undefined)
      return { ...shopSuppressionsPage(visit, settings, null, form.refused() ?? EMPTY_FORM), status: 422 };
    if (form.text('act') === 'add') {
      const added = await suppressForShop({ pool, clock, hash }, { businessId, actor }, address);
      return back(added ? 'added' : 'added_before');
    }
    if (form.text('act') === 'lift') {
      const lift = { businessId, email: address, lifter: 'operator', actor } as const;
      const { removed, removedForAll, kept } = await transaction(pool, (tx) =>
        liftSuppressions(tx, hash, lift, clock.now()),
      );
      if (removed.length === 0 && !removedForAll) return back('nothing_lifted');
      return back(kept.length > 0 ? 'lifted_partly' : 'lifted');
    }
    const { reasons } = await suppressionsOf(pool, hash, businessId, address);
    return shopSuppressionsPage(visit, settings, { email: address, reasons }, EMPTY_FORM);
  };

  return [
    get(
      path,
      { action: 'operator.pages', flashes: FLASHES },
      onShop(context, async ({ settings }, visit) => shopSuppressionsPage(visit, settings, null, EMPTY_FORM)),
    ),
    post(path, 'operator.pages', onShop(context, submit)),
  ];
}
