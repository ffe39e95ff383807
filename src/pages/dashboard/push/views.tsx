import {
  BODY_MAX,
  ESCALATE_MAX_MINUTES,
  ESCALATE_MIN_MINUTES,
  OPT_IN_SOURCE_MAX,
  REFERENCE_MAX,
  SUBJECT_MAX,
} from '../../../config/limits.ts';
import type { PushPreview } from '../../../contract/preview.ts';
import { LANGUAGES, languageName } from '../../../language/languages.ts';
import { ORDER_STATUSES, statusLabel } from '../../../nudges/orderStatus.ts';
import { FlashNote } from '../../kit/components.tsx';
import { ActionForm, FormField, SelectField, TextAreaField } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { dashboardPage } from '../layout.tsx';
import type { PushField, TypedPush } from './form.ts';
import { PreviewPanel } from './preview.tsx';

export interface PushPageProps {
  site: Site;
  visit: ShopVisit;
  typed: TypedPush;
  /** The idempotency key of this form. */
  formKey: string;
  faults?: Partial<Record<PushField, string>>;
  /** What the push would do, or why it would be refused. */
  preview?: PushPreview | string;
  /** Why the push was refused. */
  refused?: string;
}

const CHANNELS = [
  ['', 'As the shop is set up'],
  ['email', 'Email only'],
  ['email sms', 'Email and a text'],
  ['email whatsapp', 'Email and WhatsApp'],
  ['email sms whatsapp', 'Email, a text and WhatsApp'],
] as const;

const YES_OR_NOT = [
  ['', 'No'],
  ['yes', 'Yes'],
] as const;

const NOTIFY = [
  ['', 'When the message is new'],
  ['yes', 'Also when it updates a message'],
  ['no', 'Never'],
] as const;

const KINDS = [
  ['', 'A message of its own'],
  ['updateable', 'Updates the customer’s message with the same subject'],
] as const;

const STATUSES = [
  ['', 'None'] as const,
  ...ORDER_STATUSES.map((status) => [status, statusLabel[status]] as const),
];

const languageOptions = () => [
  ['', 'As known, else the shop’s'] as const,
  ...LANGUAGES.map((language) => [language, languageName(language)] as const),
];

/** A push by hand: the fields of the API's push, and beside them what it would do. */
export function pushPage(props: PushPageProps): string {
  const { site, visit, formKey, preview, refused, faults } = props;
  const path = site.to(`/dashboard/${visit.shop.id}/push`);
  const isFaulty = faults !== undefined && Object.keys(faults).length > 0;
  return dashboardPage({
    site,
    title: 'Push a message',
    visit,
    at: 'messages',
    children: (
      <>
        <h1>Push a message</h1>
        {refused !== undefined && <FlashNote tone="bad" text={refused} />}
        <div class="columns">
          <ActionForm action={path} formToken={visit.session.formToken}>
            <div
              class="panel"
              hx-post={`${path}/preview`}
              hx-trigger="input delay:500ms, change"
              hx-target="#preview"
              hx-select="#preview"
              hx-swap="outerHTML"
              hx-sync="this:replace"
            >
              <input type="hidden" name="key" value={formKey} />
              <MainFields {...props} />
              <details open={hasMore(props)}>
                <summary>More</summary>
                <div class="stack">
                  <MoreFields {...props} />
                </div>
              </details>
              <div class="acts">
                <button class="button" type="submit">
                  Push it now
                </button>
                <button class="button quiet" type="submit" formaction={`${path}/preview`} formnovalidate>
                  Preview
                </button>
              </div>
            </div>
          </ActionForm>
          <PreviewPanel site={site} shopId={visit.shop.id} preview={preview} isFaulty={isFaulty} />
        </div>
      </>
    ),
  });
}

function MainFields({ typed, faults = {} }: PushPageProps): JSX.Element {
  return (
    <>
      <FormField
        id="recipient_email"
        label="Customer’s address"
        type="email"
        value={typed.recipient_email}
        fault={faults.recipient_email}
        required
        autocomplete="off"
      />
      <FormField
        id="subject"
        label="Subject"
        type="text"
        value={typed.subject}
        fault={faults.subject}
        maxlength={SUBJECT_MAX}
        required
      />
      <TextAreaField
        id="body"
        label="Text"
        rows={6}
        value={typed.body}
        fault={faults.body}
        hint="Plain text. Links in it can be clicked."
        maxlength={BODY_MAX}
        required
      />
      <FormField
        id="reference"
        label="Order number"
        type="text"
        value={typed.reference}
        fault={faults.reference}
        maxlength={REFERENCE_MAX}
      />
      <SelectField
        id="order_status"
        label="Order status"
        value={typed.order_status}
        fault={faults.order_status}
        options={STATUSES}
      />
      <SelectField
        id="channels"
        label="Nudge by"
        value={typed.channels}
        fault={faults.channels}
        options={CHANNELS}
      />
    </>
  );
}

function MoreFields({ typed, faults = {} }: PushPageProps): JSX.Element {
  return (
    <>
      <SelectField
        id="language"
        label="Customer’s language"
        value={typed.language}
        fault={faults.language}
        options={languageOptions()}
        hint="It is kept and used again. Your own words stay as you wrote them."
      />
      <FormField
        id="recipient_phone"
        label="Customer’s mobile number"
        type="tel"
        value={typed.recipient_phone}
        fault={faults.recipient_phone}
        hint="With its country, such as +372 5123 4567. It is kept and used again."
        autocomplete="off"
      />
      <FormField
        id="whatsapp_opt_in"
        label="Where they agreed to WhatsApp"
        type="text"
        value={typed.whatsapp_opt_in}
        fault={faults.whatsapp_opt_in}
        maxlength={OPT_IN_SOURCE_MAX}
      />
      <SelectField
        id="sms_if_whatsapp_fails"
        label="A text if WhatsApp fails"
        value={typed.sms_if_whatsapp_fails}
        fault={faults.sms_if_whatsapp_fails}
        options={YES_OR_NOT}
      />
      <FormField
        id="escalate_if_unread_after_minutes"
        label="Text or WhatsApp only if unread after minutes"
        type="number"
        value={typed.escalate_if_unread_after_minutes}
        fault={faults.escalate_if_unread_after_minutes}
        hint={`${ESCALATE_MIN_MINUTES} to ${ESCALATE_MAX_MINUTES}`}
      />
      <FormField
        id="send_at"
        label="Hold the nudge until (UTC)"
        type="datetime-local"
        value={typed.send_at}
        fault={faults.send_at}
      />
      <SelectField id="kind" label="Kind" value={typed.kind} fault={faults.kind} options={KINDS} />
      <SelectField id="notify" label="Nudge" value={typed.notify} fault={faults.notify} options={NOTIFY} />
      <FormField
        id="obsoletes"
        label="Ids of messages that it replaces"
        type="text"
        value={typed.obsoletes}
        fault={faults.obsoletes}
      />
    </>
  );
}

const MORE: readonly PushField[] = [
  'language',
  'recipient_phone',
  'whatsapp_opt_in',
  'sms_if_whatsapp_fails',
  'escalate_if_unread_after_minutes',
  'send_at',
  'kind',
  'notify',
  'obsoletes',
];

const hasMore = ({ typed, faults = {} }: PushPageProps): boolean =>
  MORE.some((field) => typed[field] !== '' || faults[field] !== undefined);
