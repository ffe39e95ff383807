import { ConfirmSheet, FormField } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { dashboardPage } from '../layout.tsx';
import type { RecipientAction } from './actions.ts';

interface EraseProps {
  site: Site;
  visit: ShopVisit;
  act: RecipientAction;
  /** What was typed instead of the address; null: nothing yet. */
  wrong: string | null;
}

/** Says what an erasure does, and asks for the customer's address. */
export function erasePage({ site, visit, act, wrong }: EraseProps): string {
  const path = site.to(`/dashboard/${visit.shop.id}/recipients/${act.recipientId}`);
  return dashboardPage({
    site,
    title: 'Erase a customer',
    visit,
    at: 'recipients',
    children: (
      <ConfirmSheet
        title="Erase this customer"
        action={`${path}/erase`}
        formToken={visit.session.formToken}
        label="Erase for good"
        isDangerous
        back={{ href: path, label: 'Leave it, and go back to the customer' }}
      >
        <div class="stack">
          <p>
            Everything about <strong>{act.email}</strong> is deleted: their messages, replies, consent and
            number. What has not gone out does not go out any more. It cannot be undone.
          </p>
          <p>
            What they stopped stays in force without their address, so that nobody writes to them again by
            mistake. Mail and webhooks that have left cannot be called back.
          </p>
          <FormField
            id="address"
            label="Type the customer’s address to confirm"
            type="email"
            value={wrong ?? undefined}
            fault={
              wrong === null ? undefined : 'This is not the address of this customer. Nothing was erased.'
            }
            autocomplete="off"
            required
          />
        </div>
      </ConfirmSheet>
    ),
  });
}
