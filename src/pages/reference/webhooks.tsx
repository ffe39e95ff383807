import { EVENTS, type EventContent, type EventType, eventTypes } from '../../contract/eventTypes.ts';
import { readAsset } from '../kit/assets.ts';
import { asJson, CodeBlock, Inline, JsonCode } from '../kit/code.tsx';
import { Guide } from './guides.tsx';
import { Anchor } from './operation.tsx';
import { type DocView, WEBHOOKS } from './view.ts';

/** What a receiver needs to know: the payload, how to verify it, and the retries. */
export const WebhooksGuide = ({ view }: { view: DocView }) => (
  <>
    <Guide
      view={view}
      id="webhooks"
      title={view.page === WEBHOOKS ? 'What arrives' : 'Webhooks'}
      shown={
        <CodeBlock label="A delivery" note="POST to your endpoint">
          {HEADERS_EXAMPLE}
          {'\n\n'}
          <JsonCode text={asJson(ENVELOPE)} />
        </CodeBlock>
      }
    >
      <Parts id="webhooks.envelope" title="Envelope" parts={ENVELOPE_FIELDS} />
      <Parts id="webhooks.headers" title="Headers" parts={HEADERS} />
    </Guide>
    <Guide
      view={view}
      id="webhooks.signature"
      title="Check the signature"
      shown={<CodeBlock label="Node.js">{VERIFY}</CodeBlock>}
    />
    <Guide view={view} id="webhooks.retries" title="Retries" />
    <Guide view={view} id="webhooks.events" title="Events">
      <div class="events">
        {eventTypes.map((type) => (
          <section id={`event-${type}`}>
            <h3>
              <Anchor id={`event-${type}`}>
                <code>{type}</code>
              </Anchor>
            </h3>
            <p>
              <Inline text={EVENTS[type].meaning} />
            </p>
            <details>
              <summary>Its data</summary>
              <CodeBlock label={`data of ${type}`}>
                <JsonCode text={asJson(sampleOf(type))} />
              </CodeBlock>
            </details>
          </section>
        ))}
      </div>
    </Guide>
  </>
);

interface PartsProps {
  id: string;
  title: string;
  parts: readonly (readonly [name: string, text: string, type?: string])[];
}

const Parts = ({ id, title, parts }: PartsProps) => (
  <>
    <h3 id={id}>
      <Anchor id={id}>{title}</Anchor>
    </h3>
    <ul class="fields">
      {parts.map(([name, text, type]) => (
        <li>
          <p class="field">
            <code>{name}</code> {type !== undefined && <span class="type">{type}</span>}
          </p>
          <p>
            <Inline text={text} />
          </p>
        </li>
      ))}
    </ul>
  </>
);

/** Example code for receivers; the tests run it. */
export const VERIFY = readAsset('verify.js').trim();

const PERSON = { message_id: 'mh0q2z4k00x7c1v9b3n5m8l2', recipient_email: 'ann@example.com' };
const PHONE = '+372 •••• 0134';
const MOMENT = '2026-08-20T09:15:00.000Z';

/** An event's data, made up. */
export function sampleOf(type: EventType): EventContent['data'] {
  const [family] = type.split('.');
  switch (type) {
    case 'whatsapp.inbound_message':
      return { ...PERSON, recipient_phone: PHONE, body: 'Thank you!', received_at: MOMENT };
    case 'credits.low_balance':
      return { balance: 19, threshold: 20 };
    case 'plan.past_due':
      return { period_end: MOMENT };
    case 'plan.lapsed':
      return { lapsed_at: MOMENT };
    case 'plan.allowance_exceeded':
      return { allowance: 1000, used: 1001, period_end: MOMENT };
    case 'order.updated':
      return {
        reference: '#1001',
        status: 'out_for_delivery',
        status_at: MOMENT,
        tracking_number: 'JD0146000912',
        recipient_email: PERSON.recipient_email,
      };
    case 'ping':
      return { endpoint_id: 'mh0q2z4k00w3e5r7t9y1u2i4' };
    default:
      return family === 'message' ? aboutEmail(type) : aboutPaid(type, family === 'sms' ? 'sms' : 'whatsapp');
  }
}

const aboutEmail = (type: EventType): EventContent['data'] => ({
  ...PERSON,
  subject: 'Your order #1001 has shipped',
  reference: '#1001',
  channel: 'email',
  ...(type === 'message.failed' && { reason: 'retries_exhausted' }),
  ...(type === 'message.not_sent' && { reason: 'unsubscribed' }),
});

const aboutPaid = (type: EventType, channel: 'sms' | 'whatsapp'): EventContent['data'] => ({
  ...PERSON,
  recipient_phone: PHONE,
  country_code: 'EE',
  credits_charged: type.endsWith('rejected') ? 0 : 1,
  channel,
  error_code: type.endsWith('failed')
    ? `${channel}.submit_outcome_unknown`
    : type.endsWith('rejected')
      ? `${channel}.submit_refused`
      : null,
});

const ENVELOPE = {
  data: sampleOf('message.delivered'),
  id: 'mh0q2z5k00e1v2e3n4t5i6d7',
  occurred_at: '2026-08-20T09:15:01.000Z',
  type: 'message.delivered',
};

const HEADERS_EXAMPLE = `X-Service-Signature: t=1787217301,v1=5f0c…
X-Service-Event: message.delivered
X-Service-Delivery: ${'mh0q2z5k00e1v2e3n4t5i6d7'}` as const;

export const ENVELOPE_FIELDS: PartsProps['parts'] = [
  ['id', 'The event’s id. Retries have the same one.', 'string'],
  ['type', 'What happened: one of the events below.', 'string'],
  ['occurred_at', 'When it happened.', 'date-time'],
  ['data', 'Details. `message_id` and `recipient_email` are in every event about a message.', 'object'],
];

export const HEADERS: PartsProps['parts'] = [
  ['X-Service-Signature', '`t=<unix seconds>,v1=<hex>`: proves that the delivery is ours.'],
  ['X-Service-Event', 'The event’s type.'],
  ['X-Service-Delivery', 'The event’s id, as in the body. It names the event, not the attempt.'],
  [
    'webhook-id, webhook-timestamp, webhook-signature',
    'The same in the format of Standard Webhooks, for its libraries.',
  ],
];
