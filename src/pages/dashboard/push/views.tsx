import {
  BODY_MAX,
  ESCALATE_MAX_MINUTES,
  ESCALATE_MIN_MINUTES,
  OPT_IN_SOURCE_MAX,
  REFERENCE_MAX,
  SUBJECT_MAX,
} from '../../../config/limits.ts';
import { channels } from '../../../contract/channels.ts';
import type { PreviewedNudge, PushPreview } from '../../../contract/push.ts';
import { LANGUAGES, languageFor, languageName } from '../../../language/languages.ts';
import { timelineSentence } from '../../../messages/timelineWords.ts';
import { NUDGE_NAMES } from '../../kit/channelWords.ts';
import { Badge, ZonedTime } from '../../kit/components.tsx';
import { ActionForm, type FieldDef, FormFields, HiddenFields, PreviewButtons } from '../../kit/forms.tsx';
import type { RefusedForm } from '../../kit/typedForm.ts';
import type { InShop, ShopVisit } from '../context.ts';
import { shownCredits } from '../credits/words.ts';
import { type Page, previewsItself } from '../layout.tsx';
import { ORDER_STATUS_OPTIONS } from '../messages/filters.tsx';

interface PushForm extends RefusedForm {
  /** The idempotency key of this form. */
  formKey: string;
  /** What the push would do, or why it would be refused. Undefined: nothing was asked yet, or the form has faults. */
  preview?: PushPreview | string;
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

const MAIN_FIELDS: readonly FieldDef[] = [
  { id: 'recipient_email', label: 'Customer’s address', type: 'email', required: true, autocomplete: 'off' },
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

/** Made when it is asked for: the names of languages take a while. */
const moreFields = (): readonly FieldDef[] => [
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
  { id: 'send_at', label: 'Hold the nudge until (UTC)', type: 'datetime-local' },
  { id: 'kind', label: 'Kind', options: KINDS },
  { id: 'notify', label: 'Nudge', options: NOTIFY },
  { id: 'obsoletes', label: 'Ids of messages that it replaces', type: 'text' },
];

/** A push by hand: the fields of the API's push, and beside them what it would do. */
export function pushPage(visit: ShopVisit, form: PushForm): Page {
  const path = visit.to('/push');
  const more = moreFields();
  const isMoreUsed = more.some(({ id }) => form.typed[id] !== '' || form.faults[id] !== undefined);
  return {
    title: 'Push a message',
    at: 'messages',
    within: [],
    children: (
      <div class="columns">
        <ActionForm action={path} formToken={visit.session.formToken}>
          <div class="panel" {...previewsItself(`${path}/preview`)}>
            <HiddenFields values={{ key: form.formKey }} />
            <FormFields fields={MAIN_FIELDS} form={form} />
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

/** What a push would do, in the words of the API's preview. */
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

const Previewed = ({ visit, preview }: { visit: ShopVisit; preview: PushPreview }) => (
  <>
    <p>
      {preview.updates === null ? (
        'A new message in the customer’s inbox.'
      ) : (
        <>
          It updates <a href={visit.to(`/messages/${preview.updates}`)}>this message</a>.
        </>
      )}
    </p>
    <ul class="rows">
      {preview.nudges.map((nudge) => (
        <NudgeRow {...nudge} />
      ))}
      {notSent(preview).map((sentence) => (
        <li class="row">
          <span>{sentence}</span>
          <Badge tone="waiting" text="Not sent" />
        </li>
      ))}
    </ul>
    {preview.obsoletes.length > 0 && (
      <p>{`It replaces ${preview.obsoletes.length === 1 ? 'one message' : `${preview.obsoletes.length} messages`}.`}</p>
    )}
    <p class="hint">{`Language: ${languageName(languageFor(preview.language, preview.language))}`}</p>
    <p class="hint">{`Credits left afterwards: ${preview.balance_after}`}</p>
  </>
);

/** One nudge of a preview: when it would go, what it would cost, and what it would say. */
export const NudgeRow = ({ channel, when, at, waits_until, credits, subject, text }: PreviewedNudge) => (
  <li class="nudge-row">
    <span class="row">
      <strong>{NUDGE_NAMES[channel]}</strong>
      <span class="badges">
        <Badge tone="plain" text={credits === 0 ? 'Free' : shownCredits(credits)} />
      </span>
    </span>
    <span class="hint">
      {WHEN[when]}
      {at !== null && [' ', <ZonedTime at={at} />]}
      {waits_until !== undefined && [', but not before ', <ZonedTime at={waits_until} />, ': quiet hours']}
    </span>
    {subject !== null && (
      <p dir="auto">
        <strong>{subject}</strong>
      </p>
    )}
    <p class="message-body" dir="auto">
      {text}
    </p>
  </li>
);

const WHEN: Record<PreviewedNudge['when'], string> = {
  now: 'At once',
  scheduled: 'Held until',
  if_unread: 'Only if the message is still unread',
  if_whatsapp_fails: 'Only if the WhatsApp message cannot be delivered',
};

/** A sentence for each channel that a rule stops. */
export function notSent({ nudged, nudges, ...outcomes }: PushPreview): string[] {
  const sentences = channels.flatMap((channel) => {
    const reason = outcomes[channel]?.skipped_reason ?? null;
    return reason === null ? [] : [timelineSentence({ kind: 'skipped', channel }, reason)];
  });
  return nudged || nudges.length > 0 || sentences.length > 0
    ? sentences
    : ['Nobody is nudged: the message waits in the inbox.'];
}
