import type { SuppressionReason } from '../../../recipients/suppressions.ts';
import type { Visit } from '../../dashboard/context.ts';
import type { Page } from '../../dashboard/layout.tsx';
import { Panel, ZonedTime } from '../../kit/components.tsx';
import { DataTable } from '../../kit/dataTable.tsx';
import type { RefusedForm } from '../../kit/typedForm.ts';
import { filledForm } from '../fields.ts';
import { ActionButton, AddressForm } from '../suppressions/views.tsx';

/** The address that was looked up, and why the shop does not email it. */
interface FoundReasons {
  email: string;
  reasons: readonly { reason: SuppressionReason; at: Date }[];
}

const REASONS: Record<SuppressionReason, string> = {
  bounce: 'It bounced',
  complaint: 'The person complained',
  unsubscribe: 'The person unsubscribed',
  operator: 'An operator stopped it',
};

/** Whether a shop emails an address, and why not. Nobody's address is listed: it is looked up by who knows it. */
export function shopSuppressionsPage(
  visit: Visit,
  shop: { id: string; name: string },
  found: FoundReasons | null,
  form: RefusedForm,
): Page {
  const path = visit.site.to(`/dashboard/operator/shops/${shop.id}`);
  return {
    operatorAt: 'shops',
    title: 'Addresses that it does not email',
    children: (
      <>
        <p>
          <a href={path} dir="auto">
            {shop.name}
          </a>
        </p>
        <Panel id="one-address" title="One address">
          <AddressForm
            visit={visit}
            path={`${path}/suppressions`}
            form={filledForm({ email: found?.email ?? '' }, form)}
          >
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
