import { SenderDomainState } from '../../dashboard/settings/senderDomain.tsx';
import { Panel } from '../../kit/components.tsx';
import { FoldedForm, FormFields } from '../../kit/forms.tsx';
import type { RefusedForm } from '../../kit/typedForm.ts';
import { inputField } from '../fields.ts';
import type { ShopPanelProps } from './parts.tsx';

/** How emails leave: whether Waypost signs them itself, and by which server. */
export interface MailWay {
  isSignedHere: boolean;
  mailServer: string | null;
}

const ADDRESS = inputField('email', 'Address', 'email', {
  hint: 'Used once its domain’s DNS records are right; they are shown here and in the shop’s settings.',
  required: true,
});

/** The domain that the shop's emails come from, where it is checked. */
export const ShopDomain = ({
  visit,
  path,
  shop: { domain },
  form,
  mail: { isSignedHere, mailServer },
}: ShopPanelProps & { form: RefusedForm; mail: MailWay }) => (
  <Panel id="domain" title="Domain of its emails">
    {domain !== null && (
      <SenderDomainState
        visit={visit}
        domain={domain}
        mailServer={mailServer}
        checkPath={`${path}/domain/check`}
      />
    )}
    {isSignedHere ? (
      <FoldedForm
        title="Add an address with its domain"
        open={form.faults.email !== undefined}
        action={`${path}/domain`}
        visit={visit}
        label="Add the address"
        look="quiet"
      >
        <FormFields fields={[ADDRESS]} form={form} />
      </FoldedForm>
    ) : (
      <p class="hint">The provider signs emails: verify the domain there, then set the sender above.</p>
    )}
  </Panel>
);
