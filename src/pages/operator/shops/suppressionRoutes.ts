import type { FastifyReply } from 'fastify';
import { transaction } from '../../../db/transaction.ts';
import { email } from '../../../kit/typedValues.ts';
import { liftSuppressions } from '../../../recipients/suppressions.ts';
import { type DashboardContext, type OperatorRoute, sendDashboardPage } from '../../dashboard/context.ts';
import { suppressionsOf } from '../../dashboard/recipients/reads.ts';
import { get, post } from '../../dashboard/route.ts';
import { type Flashes, flashIn } from '../../kit/flash.ts';
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
  const { pool, clock, hash, site } = context;
  const path = `${OPERATED_SHOP}/suppressions`;

  const act: ShopActionHandler = async ({ settings: shop, businessId, actor }, visit, request, reply) => {
    const back = (flash: keyof typeof FLASHES): FastifyReply =>
      reply.redirect(site.to(`/dashboard/operator/shops/${businessId}/suppressions?flash=${flash}`), 303);
    const form = typedForm(request);
    const address = form.required('email', 'This', email);
    if (address === undefined) {
      const refused = form.refused() ?? EMPTY_FORM;
      const page = shopSuppressionsPage({ site, visit, shop, found: null, flash: null, form: refused });
      return sendDashboardPage(reply, 422, page);
    }
    switch (form.text('act')) {
      case 'add': {
        const added = await suppressForShop({ pool, clock, hash }, { businessId, actor }, address);
        return back(added ? 'added' : 'added_before');
      }
      case 'lift': {
        const asked = { businessId, email: address, lifter: 'operator', actor } as const;
        const { removed, removedForAll, kept } = await transaction(pool, (tx) =>
          liftSuppressions(tx, hash, asked, clock.now()),
        );
        if (removed.length === 0 && !removedForAll) return back('nothing_lifted');
        return back(kept.length > 0 ? 'lifted_partly' : 'lifted');
      }
      default: {
        const { reasons } = await suppressionsOf(pool, hash, businessId, address);
        const found = { email: address, reasons };
        const page = shopSuppressionsPage({ site, visit, shop, found, flash: null, form: EMPTY_FORM });
        return sendDashboardPage(reply, 200, page);
      }
    }
  };

  return [
    get(
      path,
      'operator.pages',
      onShop(context, async ({ settings: shop }, visit, request, reply) => {
        const flash = flashIn(request, FLASHES);
        const page = shopSuppressionsPage({ site, visit, shop, found: null, flash, form: EMPTY_FORM });
        return sendDashboardPage(reply, 200, page);
      }),
    ),
    post(path, 'operator.pages', onShop(context, act)),
  ];
}
