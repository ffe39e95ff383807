import type { SuppressionReason } from '../../../recipients/suppressions.ts';
import type { Visit } from '../../dashboard/context.ts';
import { dashboardPage } from '../../dashboard/layout.tsx';
import { FlashNote, ZonedTime } from '../../kit/components.tsx';
import { DataTable } from '../../kit/dataTable.tsx';
import type { Flash } from '../../kit/flash.ts';
import { ActionForm, FormField } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import { fieldState, type RefusedForm } from '../../kit/typedForm.ts';

interface ShopSuppressionsProps {
  site: Site;
  visit: Visit;
  shop: { id: string; name: string };
  /** The address that was looked up, and why the shop does not email it. */
  found: { email: string; reasons: readonly { reason: SuppressionReason; at: Date }[] } | null;
  flash: Flash | null;
  form: RefusedForm;
}

const REASONS: Record<SuppressionReason, string> = {
  bounce: 'It bounced',
  complaint: 'The person complained',
  unsubscribe: 'The person unsubscribed',
  operator: 'An operator stopped it',
};

/** Whether a shop emails an address, and why not. Nobody's address is listed: it is looked up by who knows it. */
export function shopSuppressionsPage(props: ShopSuppressionsProps): string {
  const { site, visit, shop, found, flash, form } = props;
  const shopPath = site.to(`/dashboard/operator/shops/${shop.id}`);
  const path = `${shopPath}/suppressions`;
  const { formToken } = visit.session;
  return dashboardPage({
    site,
    title: 'Addresses that it does not email',
    visit,
    operatorAt: 'shops',
    children: (
      <>
        <h1>Addresses that it does not email</h1>
        <p>
          <a href={shopPath} dir="auto">
            {shop.name}
          </a>
        </p>
        {flash && <FlashNote {...flash} />}
        <section class="panel" aria-labelledby="one-address">
          <h2 id="one-address">One address</h2>
          <ActionForm action={path} formToken={formToken}>
            <div class="stack">
              <FormField
                {...fieldState(form, 'email', found?.email ?? '')}
                label="Address"
                type="email"
                autocomplete="off"
                required
              />
              <div class="acts">
                <button class="button quiet" type="submit" name="act" value="find">
                  Look it up
                </button>
                <button class="button quiet" type="submit" name="act" value="lift">
                  Let the shop email it again
                </button>
                <button class="button dangerous" type="submit" name="act" value="add">
                  Stop all email to it
                </button>
              </div>
            </div>
          </ActionForm>
        </section>
        {found !== null && <Found found={found} />}
      </>
    ),
  });
}

const Found = ({ found }: { found: NonNullable<ShopSuppressionsProps['found']> }): JSX.Element => (
  <section class="panel" aria-labelledby="found">
    <h2 id="found" class="reply">
      {found.email}
    </h2>
    {found.reasons.length === 0 ? (
      <p>The shop may email this address.</p>
    ) : (
      <DataTable
        caption="Why the shop does not email this address"
        columns={[
          { title: 'Why', cell: ({ reason }) => <span>{REASONS[reason]}</span> },
          { title: 'Since', cell: ({ at }) => <ZonedTime at={at.toISOString()} /> },
        ]}
        rows={found.reasons}
      />
    )}
  </section>
);
