import {
  BODY_MAX,
  ESCALATE_MAX_MINUTES,
  ESCALATE_MIN_MINUTES,
  OPT_IN_SOURCE_MAX,
  REFERENCE_MAX,
  SUBJECT_MAX,
} from '../../../config/limits.ts';
import { describedTag, LANGUAGES, languageName } from '../../../language/languages.ts';
import { ActionForm, type FieldDef, FormFields, HiddenFields, PreviewButtons } from '../../kit/forms.tsx';
import type { RefusedForm } from '../../kit/typedForm.ts';
import type { InShop, ShopVisit } from '../context.ts';
import { type Page, previewsItself } from '../layout.tsx';
import { ORDER_STATUS_OPTIONS } from '../messages/filters.tsx';
import type { ShownPreview } from './frames.ts';
import { Previewed } from './previewed.tsx';

interface PushForm extends RefusedForm {
  /** The idempotency key of this form. */
  formKey: string;
  /** What the push would do, or why it would be refused. Undefined: nothing was asked yet, or the form has faults. */
  preview?: ShownPreview | string;
  /** What is known of the customer that the form was opened for. */
  customer?: { phone: string | null; language: string | null } | undefined;
}

const CHANNELS = [
  ['', 'As the shop is set up'],
  ['email', 'Email only'],
  ['email sms', 'Email and SMS'],
  ['email whatsapp', 'Email and WhatsApp'],
  ['email sms whatsapp', 'Email, SMS and WhatsApp'],
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

const mainFields = (path: string, { customer }: PushForm): readonly FieldDef[] => [
  {
    id: 'recipient_email',
    label: 'Customer’s address',
    type: 'email',
    required: true,
    autocomplete: 'off',
    suggestions: `${path}/customers`,
    hint: customer && knownWords(customer),
  },
  { id: 'subject', label: 'Subject', type: 'text', maxlength: SUBJECT_MAX, required: true },
  {
    id: 'body',
    label: 'Message',
    rows: 6,
    hint: 'Plain text. Links in it can be clicked.',
    maxlength: BODY_MAX,
    required: true,
  },
  { id: 'reference', label: 'Order number', type: 'text', maxlength: REFERENCE_MAX },
  { id: 'order_status', label: 'Order status', options: [['', 'None'], ...ORDER_STATUS_OPTIONS] },
  { id: 'channels', label: 'Nudge by', options: CHANNELS },
];

const knownWords = ({ phone, language }: NonNullable<PushForm['customer']>): string =>
  [
    phone === null ? 'No number of theirs is known.' : `Their number, ${phone}, is known.`,
    language !== null && `Their language is ${describedTag(language)}.`,
  ]
    .filter(Boolean)
    .join(' ');

/** Made when it is asked for: the names of languages take a while. */
const moreFields = (zone: string): readonly FieldDef[] => [
  {
    id: 'language',
    label: 'Customer’s language',
    options: [
      ['', 'As known, else the shop’s'],
      ...LANGUAGES.map((language) => [language, languageName(language)] as const),
    ],
    hint: 'It is kept and used again. Your own words stay as you wrote them.',
  },
  {
    id: 'recipient_phone',
    label: 'Customer’s mobile number',
    type: 'tel',
    hint: 'With its country, such as +372 5123 4567. It is kept and used again.',
    autocomplete: 'off',
  },
  {
    id: 'whatsapp_opt_in',
    label: 'Where they agreed to WhatsApp',
    type: 'text',
    maxlength: OPT_IN_SOURCE_MAX,
  },
  { id: 'sms_if_whatsapp_fails', label: 'SMS if WhatsApp fails', options: YES_OR_NOT },
  {
    id: 'escalate_if_unread_after_minutes',
    label: 'SMS or WhatsApp only if unread after minutes',
    type: 'number',
    hint: `${ESCALATE_MIN_MINUTES} to ${ESCALATE_MAX_MINUTES}`,
  },
  { id: 'send_at', label: `Hold the nudge until (${zone})`, type: 'datetime-local' },
  { id: 'kind', label: 'Kind', options: KINDS },
  { id: 'notify', label: 'Nudge', options: NOTIFY },
  { id: 'obsoletes', label: 'Ids of messages that it replaces', type: 'text' },
];

/** A push by hand: the fields of the API's push, and beside them what it would do. */
export function pushPage(visit: ShopVisit, form: PushForm): Page {
  const path = visit.to('/push');
  const { zone = '' } = form.typed;
  const more = moreFields(zone || 'UTC');
  const isMoreUsed = more.some(({ id }) => (form.typed[id] ?? '') !== '' || form.faults[id] !== undefined);
  return {
    title: 'Push a message',
    at: 'messages',
    within: [],
    children: (
      <div class="columns push">
        <ActionForm action={path} formToken={visit.session.formToken}>
          <div class="panel" {...previewsItself(`${path}/preview`)}>
            <HiddenFields values={{ key: form.formKey }} />
            <input type="hidden" name="zone" value={zone} data-zone />
            <FormFields fields={mainFields(path, form)} form={form} />
            <details open={isMoreUsed}>
              <summary>More</summary>
              <div class="stack">
                <FormFields fields={more} form={form} />
              </div>
            </details>
            <PreviewButtons path={path} label="Push it now" />
          </div>
        </ActionForm>
        <PreviewPanel visit={visit} form={form} />
      </div>
    ),
  };
}

const PreviewPanel = ({ visit, form: { preview, faults } }: InShop<{ form: PushForm }>) => (
  <section class="panel" id="preview" aria-labelledby="preview-title" aria-live="polite">
    <h2 id="preview-title">What it would do</h2>
    {preview === undefined ? (
      <p class="hint">
        {Object.keys(faults).length > 0
          ? 'Something is missing or wrong in the form.'
          : 'Fill the form in: what would be sent, and what it would cost, appears here.'}
      </p>
    ) : typeof preview === 'string' ? (
      <p>{`It would be refused: ${preview}`}</p>
    ) : (
      <Previewed visit={visit} preview={preview} />
    )}
  </section>
);

/** What the field of the customer's address suggests. */
export const addressOptions = (customers: readonly { email: string }[]) => (
  <>
    {customers.map(({ email }) => (
      <option value={email} />
    ))}
  </>
);
