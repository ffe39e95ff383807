import { transaction } from '../../../db/transaction.ts';
import { liftSuppressions, type SuppressionReason } from '../../../recipients/suppressions.ts';
import type { DashboardContext, OperatorRoute, Visit } from '../../dashboard/context.ts';
import type { Page } from '../../dashboard/layout.tsx';
import { suppressionsOf } from '../../dashboard/recipients/reads.ts';
import { get, post } from '../../dashboard/route.ts';
import { Panel, ZonedTime } from '../../kit/components.tsx';
import { DataTable } from '../../kit/dataTable.tsx';
import type { Flashes } from '../../kit/flash.ts';
import { formOf } from '../../kit/request.ts';
import { EMPTY_FORM, type RefusedForm, readForm } from '../../kit/typedForm.ts';
import { ADDRESS_FORM } from '../fields.ts';
import { ActionButton, AddressForm } from '../suppressions.tsx';
import { suppressForShop } from './actions.ts';
import { type ShopActionHandler, shopRoute } from './shopRoutes.ts';

const FLASHES = {
  added: ['good', 'The shop does not email this address any more.'],
  added_before: ['waiting', 'Nothing was changed: an operator had stopped this address before.'],
  lifted: ['good', 'The shop may email this address again.'],
  lifted_partly: [
    'waiting',
    'What you can lift was lifted. The customer unsubscribed, and only they can undo that.',
  ],
  nothing_lifted: ['waiting', 'Nothing was changed: there is nothing here that an operator can lift.'],
} satisfies Flashes;

/** The addresses that a shop does not email: looked up by POST, so that none gets into a URL. */
export function shopSuppressionRoutes(context: DashboardContext): OperatorRoute[] {
  const { pool, clock, hash } = context;

  const submit: ShopActionHandler = async ({ settings, businessId, actor }, visit, request) => {
    const back = (flash: keyof typeof FLASHES) => ({
      goTo: `/dashboard/operator/shops/${businessId}/suppressions?flash=${flash}`,
    });
    const { values, ...form } = readForm(formOf(request), ADDRESS_FORM);
    if (values === null) return { ...shopSuppressionsPage(visit, settings, null, form), status: 422 };
    const { email } = values;
    const act = formOf(request).get('act');
    if (act === 'add') {
      const added = await suppressForShop({ pool, clock, hash }, { businessId, actor }, email);
      return back(added ? 'added' : 'added_before');
    }
    if (act === 'lift') {
      const lift = { businessId, email, lifter: 'operator', actor } as const;
      const { removed, removedForAll, kept } = await transaction(pool, (tx) =>
        liftSuppressions(tx, hash, lift, clock.now()),
      );
      if (removed.length === 0 && !removedForAll) return back('nothing_lifted');
      return back(kept.length > 0 ? 'lifted_partly' : 'lifted');
    }
    const { reasons } = await suppressionsOf(pool, hash, businessId, email);
    return shopSuppressionsPage(visit, settings, { email, reasons }, EMPTY_FORM);
  };

  return [
    shopRoute(
      context,
      get,
      '/suppressions',
      { action: 'operator.pages', flashes: FLASHES },
      async (act, visit) => shopSuppressionsPage(visit, act.settings, null, EMPTY_FORM),
    ),
    shopRoute(context, post, '/suppressions', 'operator.pages', submit),
  ];
}

/** The address that was looked up, and why the shop does not email it. */
interface FoundReasons {
  email: string;
  reasons: readonly { reason: SuppressionReason; at: Date }[];
}

const REASONS: Record<SuppressionReason, string> = {
  bounce: 'It bounced',
  complaint: 'The customer complained',
  unsubscribe: 'The customer unsubscribed',
  operator: 'An operator stopped it',
};

/** Whether a shop emails an address, and why not. Nobody's address is listed: it is looked up by who knows it. */
function shopSuppressionsPage(
  visit: Visit,
  shop: { id: string; name: string },
  found: FoundReasons | null,
  form: RefusedForm,
): Page {
  const path = `/dashboard/operator/shops/${shop.id}`;
  return {
    operatorAt: 'shops',
    title: 'Addresses that it does not email',
    within: [{ href: visit.site.to(path), label: shop.name }],
    children: (
      <>
        <Panel id="one-address" title="One address">
          <AddressForm visit={visit} path={`${path}/suppressions`} form={form} email={found?.email}>
            <ActionButton name="find" label="Look it up" />
            <ActionButton name="lift" label="Let the shop email it again" />
            <ActionButton name="add" label="Stop all email to it" look="dangerous" />
          </AddressForm>
        </Panel>
        {found !== null && (
          <Panel id="found" title={<span class="reply">{found.email}</span>}>
            {found.reasons.length === 0 ? (
              <p>The shop may email this address.</p>
            ) : (
              <DataTable
                caption="Why the shop does not email this address"
                columns={[
                  { title: 'Why', cell: ({ reason }) => REASONS[reason] },
                  { title: 'Since', cell: ({ at }) => <ZonedTime at={at} /> },
                ]}
                rows={found.reasons}
              />
            )}
          </Panel>
        )}
      </>
    ),
  };
}
