import type { RecipientView } from '../../../contract/recipientView.ts';
import { isAllowed } from '../../../members/permissions.ts';
import { mayLift, type SuppressionReason } from '../../../recipients/suppressions.ts';
import { ZonedTime } from '../../kit/components.tsx';
import { ActionForm, FormField } from '../../kit/forms.tsx';
import type { ShopVisit } from '../context.ts';
import type { SuppressionsOf } from './reads.ts';

/** A number that was typed and refused. */
export interface NumberFault {
  typed: string;
  says: string;
}

interface ActsProps {
  /** Of the customer's page. */
  path: string;
  visit: ShopVisit;
  recipient: RecipientView;
  fault: NumberFault | null;
}

/** What this member may do about the customer. */
export function RecipientActions({ path, visit, recipient, fault }: ActsProps): JSX.Element | null {
  const may = (action: Parameters<typeof isAllowed>[1]) => isAllowed(visit.role, action);
  if (!may('recipient.change') && !may('stop.record') && !may('recipient.export')) return null;
  const { formToken } = visit.session;
  return (
    <section class="panel" aria-labelledby="acts">
      <h2 id="acts">What you can do</h2>
      {may('recipient.change') && (
        <NumberActions path={path} formToken={formToken} recipient={recipient} fault={fault} />
      )}
      {may('stop.record') &&
        STOPS.filter(({ channel }) => !isStoppedForGood(recipient, channel)).map(
          ({ channel, title, text, label }) => (
            <details>
              <summary>{title}</summary>
              <ActionForm action={`${path}/stop/${channel}`} formToken={formToken}>
                <div class="stack">
                  <p>{text}</p>
                  <button class="button" type="submit">
                    {label}
                  </button>
                </div>
              </ActionForm>
            </details>
          ),
        )}
      <div class="acts">
        {may('recipient.export') && (
          <ActionForm action={`${path}/export`} formToken={formToken}>
            <button class="button quiet" type="submit">
              Download everything held about them
            </button>
          </ActionForm>
        )}
        {may('recipient.erase') && (
          <a class="button quiet" href={`${path}/erase`}>
            Erase this customer …
          </a>
        )}
      </div>
    </section>
  );
}

const STOPS = [
  {
    channel: 'sms',
    title: 'Stop texts …',
    label: 'Stop texts',
    text: 'For a customer who told you that they want none. Texts that wait are called off and cost nothing. It cannot be lifted: neither here, nor by a text with START.',
  },
  {
    channel: 'whatsapp',
    title: 'Stop WhatsApp …',
    label: 'Stop WhatsApp',
    text: 'For a customer who told you that they want none. WhatsApp messages that wait are called off and cost nothing. It cannot be lifted.',
  },
] as const;

/** A stop that the customer made by text or in the inbox can still be made firm. */
const isStoppedForGood = ({ sms, whatsapp }: RecipientView, channel: 'sms' | 'whatsapp'): boolean =>
  channel === 'sms' ? sms.status === 'stopped' && sms.source === 'dashboard' : whatsapp.status === 'stopped';

function NumberActions({
  path,
  formToken,
  recipient,
  fault,
}: {
  path: string;
  formToken: string;
  recipient: RecipientView;
  fault: NumberFault | null;
}): JSX.Element {
  const hasNumber = recipient.phone !== null;
  return (
    <>
      <details open={fault !== null}>
        <summary>{hasNumber ? 'Change the number …' : 'Enter a number …'}</summary>
        <ActionForm action={`${path}/number`} formToken={formToken}>
          <div class="stack">
            <FormField
              id="phone"
              label="Mobile number, with its country"
              type="tel"
              value={fault?.typed}
              fault={fault?.says}
              hint={
                hasNumber
                  ? 'Enter it only if the customer agrees to texts there. A changed number ends what they agreed to on WhatsApp.'
                  : 'Enter it only if the customer agrees to texts there.'
              }
              autocomplete="off"
              maxlength={40}
              required
            />
            <button class="button" type="submit">
              Save the number
            </button>
          </div>
        </ActionForm>
      </details>
      {hasNumber && (
        <details>
          <summary>Clear the number …</summary>
          <ActionForm action={`${path}/number/clear`} formToken={formToken}>
            <div class="stack">
              <p>
                No text or WhatsApp message reaches them then, until a push or somebody here enters a number
                again. What they stopped stays stopped.
              </p>
              <button class="button" type="submit">
                Clear the number
              </button>
            </div>
          </ActionForm>
        </details>
      )}
    </>
  );
}

/** Why the shop sends no email to this address, and who can change that. */
export function SuppressionsPanel({
  path,
  visit,
  suppressions: { reasons, forAll },
}: {
  path: string;
  visit: ShopVisit;
  suppressions: SuppressionsOf;
}): JSX.Element | null {
  if (reasons.length === 0 && !forAll) return null;
  const lifter = visit.role === 'operator' ? 'operator' : 'shop';
  const canLift =
    isAllowed(visit.role, 'recipient.change') &&
    (reasons.some(({ reason }) => mayLift(lifter, reason)) || (forAll && lifter === 'operator'));
  return (
    <section class="panel" aria-labelledby="suppressed">
      <h2 id="suppressed">Why they get no email</h2>
      <ul class="rows">
        {reasons.map(({ reason, at }) => (
          <li class="row">
            <span>
              <strong>{REASONS[reason].says}</strong>
              <span class="hint">
                since <ZonedTime at={at.toISOString()} />
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
        <ActionForm action={`${path}/lift`} formToken={visit.session.formToken}>
          <button class="button quiet" type="submit">
            {forAll && lifter === 'shop' ? 'Lift your own bounce' : 'Mail this address again'}
          </button>
        </ActionForm>
      )}
    </section>
  );
}

const REASONS: Record<SuppressionReason, { says: string; lifting: string }> = {
  bounce: {
    says: 'A mail bounced for good',
    lifting: 'It can be lifted, once you know that the address works again.',
  },
  complaint: {
    says: 'They marked a mail as spam',
    lifting: 'Only an operator can lift this: another complaint would harm the mail of every shop.',
  },
  unsubscribe: {
    says: 'They unsubscribed',
    lifting: 'Nobody can lift this: it is their own decision.',
  },
  operator: {
    says: 'An operator stopped email to this address',
    lifting: 'Only an operator can lift this.',
  },
};
