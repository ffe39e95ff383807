import type { PaidChannel } from '../../../contract/channels.ts';
import type { RecipientView } from '../../../contract/recipients.ts';
import { mayLift, type SuppressionReason } from '../../../recipients/suppressions.ts';
import { LinkButton, Panel, ZonedTime } from '../../kit/components.tsx';
import { FoldedForm, FormField, PostForm } from '../../kit/forms.tsx';
import { fieldState, type RefusedForm } from '../../kit/typedForm.ts';
import { confirmPage } from '../confirm.tsx';
import type { InShop, ShopVisit } from '../context.ts';
import type { Page } from '../layout.tsx';
import type { ShownRecipient } from './reads.ts';

/** Longer than any number, with what people write between its digits. */
const PHONE_TYPED_MAX = 40;

/** `form`: the number that was typed and refused. */
export type RecipientProps = InShop<ShownRecipient & { form: RefusedForm }>;

/** What this member may do about the customer. */
export function RecipientActions(props: RecipientProps): JSX.Element | null {
  const { visit, id, recipient } = props;
  const path = visit.to(`/recipients/${id}`);
  if (!visit.may('recipient.change') && !visit.may('stop.record') && !visit.may('recipient.export'))
    return null;
  const stops = STOPS.filter(({ channel }) => !isStoppedForGood(recipient, channel));
  return (
    <Panel id="acts" title="What you can do">
      {visit.may('recipient.change') && <NumberActions {...props} />}
      {visit.may('stop.record') &&
        stops.map(({ channel, label, text }) => (
          <FoldedForm title={`${label} …`} visit={visit} action={`${path}/stop/${channel}`} label={label}>
            <p>{`For a customer who told you that they want none. ${text}`}</p>
          </FoldedForm>
        ))}
      <div class="acts">
        {visit.may('recipient.export') && (
          <PostForm
            visit={visit}
            action={`${path}/export`}
            label="Download everything held about them"
            look="quiet"
          />
        )}
        {visit.may('recipient.erase') && <LinkButton href={`${path}/erase`} label="Erase this customer …" />}
      </div>
    </Panel>
  );
}

const STOPS = [
  {
    channel: 'sms',
    label: 'Stop SMS',
    text: 'Every SMS that waits is cancelled and costs nothing. It cannot be lifted: neither here, nor by an SMS with START.',
  },
  {
    channel: 'whatsapp',
    label: 'Stop WhatsApp',
    text: 'WhatsApp messages that wait are cancelled and cost nothing. It cannot be lifted.',
  },
] as const;

/** A stop that the customer made by text or in the inbox can still be made firm. */
const isStoppedForGood = ({ sms, whatsapp }: RecipientView, channel: PaidChannel): boolean =>
  channel === 'sms' ? sms.status === 'stopped' && sms.source === 'dashboard' : whatsapp.status === 'stopped';

function NumberActions({ visit, id, recipient, form }: RecipientProps) {
  const path = visit.to(`/recipients/${id}`);
  const hasNumber = recipient.phone !== null;
  return (
    <>
      <FoldedForm
        title={hasNumber ? 'Change the number …' : 'Enter a number …'}
        open={form.faults.phone !== undefined}
        visit={visit}
        action={`${path}/number`}
        label="Save the number"
      >
        <FormField
          {...fieldState(form, 'phone')}
          label="Mobile number, with its country"
          type="tel"
          hint={`Enter it only if the customer agrees to SMS there.${hasNumber ? ' A changed number ends what they agreed to on WhatsApp.' : ''}`}
          autocomplete="off"
          maxlength={PHONE_TYPED_MAX}
          required
        />
      </FoldedForm>
      {hasNumber && (
        <FoldedForm
          title="Clear the number …"
          visit={visit}
          action={`${path}/number/clear`}
          label="Clear the number"
        >
          <p>
            No SMS or WhatsApp message reaches them then, until a push or somebody here enters a number again.
            What they stopped stays stopped.
          </p>
        </FoldedForm>
      )}
    </>
  );
}

/** Why the shop sends no email to this address, and who can change that. */
export function SuppressionsPanel(props: RecipientProps): JSX.Element | null {
  const { visit, id } = props;
  const { forAll } = props.suppressions;
  const reasons = allReasons(props);
  if (reasons.length === 0 && !forAll) return null;
  const lifter = visit.role === 'operator' ? 'operator' : 'shop';
  const canLift =
    visit.may('recipient.change') &&
    (reasons.some(({ reason }) => mayLift(lifter, reason)) || (forAll && lifter === 'operator'));
  return (
    <Panel id="suppressed" title="Why they get no email">
      <ul class="rows">
        {reasons.map(({ reason, at }) => (
          <li class="row">
            <span>
              <strong>{REASONS[reason].message}</strong>
              <span class="hint">
                since <ZonedTime at={at} />
              </span>
              <span class="hint">{REASONS[reason].lifting}</span>
            </span>
          </li>
        ))}
        {forAll && (
          <li class="row">
            <span>
              <strong>The address bounced from the shared sending domain</strong>
              <span class="hint">
                No shop mails it from there. Only an operator can lift this; mail from a sending domain of
                your own is not affected.
              </span>
            </span>
          </li>
        )}
      </ul>
      {canLift && (
        <PostForm
          visit={visit}
          action={visit.to(`/recipients/${id}/lift`)}
          label={forAll && lifter === 'shop' ? 'Lift your own bounce' : 'Mail this address again'}
          look="quiet"
        />
      )}
    </Panel>
  );
}

/** An unsubscription in the inbox is kept with the person, one of an erased person among the suppressions. */
function allReasons({ recipient: { email }, suppressions: { reasons } }: RecipientProps): typeof reasons {
  if (!email.unsubscribed || email.at === null) return reasons;
  if (reasons.some(({ reason }) => reason === 'unsubscribe')) return reasons;
  return [{ reason: 'unsubscribe', at: new Date(email.at) }, ...reasons];
}

const REASONS: Record<SuppressionReason, { message: string; lifting: string }> = {
  bounce: {
    message: 'A mail bounced for good',
    lifting: 'It can be lifted, once you know that the address works again.',
  },
  complaint: {
    message: 'They marked a mail as spam',
    lifting: 'Only an operator can lift this: another complaint would harm the mail of every shop.',
  },
  unsubscribe: {
    message: 'They unsubscribed',
    lifting: 'Nobody can lift this: it is their own decision.',
  },
  operator: {
    message: 'An operator stopped email to this address',
    lifting: 'Only an operator can lift this.',
  },
};

/** Says what an erasure does, and asks for the customer's address. `wrong` is what was typed instead of it. */
export function erasePage(
  visit: ShopVisit,
  { recipientId, email }: { recipientId: string; email: string },
  wrong: string | null,
): Page {
  const path = visit.to(`/recipients/${recipientId}`);
  return confirmPage(visit, {
    title: 'Erase a customer',
    at: 'recipients',
    question: 'Erase this customer',
    action: `${path}/erase`,
    label: 'Erase for good',
    isDangerous: true,
    back: { href: path, label: 'Leave it, and go back to the customer' },
    children: (
      <>
        <p>
          Everything about <strong>{email}</strong> is deleted: their messages, replies, consent and number.
          What has not gone out does not go out any more. It cannot be undone.
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
          fault={wrong === null ? undefined : 'This is not the address of this customer. Nothing was erased.'}
          autocomplete="off"
          required
        />
      </>
    ),
  });
}
