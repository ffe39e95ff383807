import { ENDPOINT_FAILURES_MAX, WEBHOOK_RETRIES_MS, WEBHOOK_TIMEOUT_MS } from '../../config/limits.ts';
import { type EventContent, type EventType, eventTypes } from '../../contract/eventTypes.ts';
import { EVENT_MEANINGS } from '../../contract/webhookEvents.ts';
import { HOUR, MINUTE, SECOND } from '../../kit/clock.ts';
import { TOLERANCE_SECONDS } from '../../webhooks/signature.ts';
import { readAsset } from '../kit/assets.ts';
import { asJson, CodeBlock, Inline, JsonCode } from '../kit/code.tsx';
import { Guide } from './guides.tsx';

/** What a receiver needs to know: the payload, how to verify it, and the retries. */
export function WebhooksGuide(): JSX.Element {
  return (
    <>
      <Guide
        id="webhooks"
        title="Webhooks"
        shown={
          <CodeBlock label="A delivery" note="POST to your endpoint">
            {HEADERS_EXAMPLE}
            {'\n\n'}
            <JsonCode text={asJson(ENVELOPE)} />
          </CodeBlock>
        }
      >
        <p>
          Register an endpoint, and each event is posted to it when it happens; an endpoint without{' '}
          <code>event_types</code> gets all of them. Respond quickly with any 2xx; the body of your response
          is not read.
        </p>
        <h3 id="webhooks.envelope">
          <a class="anchor" href="#webhooks.envelope">
            Envelope
          </a>
        </h3>
        <ul class="fields">
          {ENVELOPE_FIELDS.map(([name, type, text]) => (
            <li>
              <p class="field">
                <code>{name}</code> <span class="type">{type}</span>
              </p>
              <p>
                <Inline text={text} />
              </p>
            </li>
          ))}
        </ul>
        <h3 id="webhooks.headers">
          <a class="anchor" href="#webhooks.headers">
            Headers
          </a>
        </h3>
        <ul class="fields">
          {HEADERS.map(([name, text]) => (
            <li>
              <p class="field">
                <code>{name}</code>
              </p>
              <p>
                <Inline text={text} />
              </p>
            </li>
          ))}
        </ul>
      </Guide>
      <Guide
        id="webhooks.signature"
        title="Check the signature"
        shown={<CodeBlock label="Node.js">{VERIFY}</CodeBlock>}
      >
        <p>
          <code>v1</code> is the HMAC-SHA256, in hexadecimal, of <code>t</code>, a dot and the raw body, with
          the whole signing secret (<code>whsec_…</code>) as the key. Use the bytes as received: JSON that is
          parsed and serialised again has different bytes. Compare in constant time, and reject a{' '}
          <code>t</code> more than {TOLERANCE_SECONDS} seconds from your clock, so that an old delivery cannot
          be replayed.
        </p>
        <p>The secret is shown once, when the endpoint is created. Each attempt has its own signature.</p>
      </Guide>
      <Guide id="webhooks.retries" title="Retries">
        <p>
          An attempt fails after {WEBHOOK_TIMEOUT_MS / SECOND} seconds, or with any status but 2xx; redirects
          are not followed. It is retried after <span>{WEBHOOK_RETRIES_MS.map(inWords).join(', ')}</span>,
          each with up to 20% jitter. Every attempt has the same event id: store the ids you have processed,
          and ignore repeats.
        </p>
        <p>
          {ENDPOINT_FAILURES_MAX} events in a row whose attempts all failed disable the endpoint; any success
          resets the count.
        </p>
      </Guide>
      <Guide id="webhooks.events" title="Events">
        <p>Branch on the type, and ignore types you do not know: there may be new ones.</p>
        <div class="events">
          {EVENTS.map(({ type, meaning, sample }) => (
            <section id={`event-${type}`}>
              <h3>
                <a class="anchor" href={`#event-${type}`}>
                  <code>{type}</code>
                </a>
              </h3>
              <p>
                <Inline text={meaning} />
              </p>
              <details>
                <summary>Its data</summary>
                <CodeBlock label={`data of ${type}`}>
                  <JsonCode text={asJson(sample)} />
                </CodeBlock>
              </details>
            </section>
          ))}
        </div>
      </Guide>
    </>
  );
}

/** Example code for receivers; the tests run it. */
const VERIFY = readAsset('verify.js').trim();

const inWords = (milliseconds: number): string => {
  if (milliseconds >= HOUR) return `${milliseconds / HOUR} h`;
  return milliseconds >= MINUTE ? `${milliseconds / MINUTE} min` : `${milliseconds / SECOND} s`;
};

const PERSON = { message_id: 'mh0q2z4k00x7c1v9b3n5m8l2', recipient_email: 'ann@example.com' };
const PHONE = '+372 •••• 0134';
const MOMENT = '2026-08-20T09:15:00.000Z';

function sampleOf(type: EventType): EventContent['data'] {
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

const EVENTS: readonly { type: string; meaning: string; sample: unknown }[] = eventTypes.map((type) => ({
  type,
  meaning: EVENT_MEANINGS[type],
  sample: sampleOf(type),
}));

const ENVELOPE = {
  data: sampleOf('message.delivered'),
  id: 'mh0q2z5k00e1v2e3n4t5i6d7',
  occurred_at: '2026-08-20T09:15:01.000Z',
  type: 'message.delivered',
};

const HEADERS_EXAMPLE = `X-Service-Signature: t=1787217301,v1=5f0c…
X-Service-Event: message.delivered
X-Service-Delivery: ${'mh0q2z5k00e1v2e3n4t5i6d7'}` as const;

const ENVELOPE_FIELDS: readonly (readonly [name: string, type: string, text: string])[] = [
  ['id', 'string', 'The event’s id. Retries have the same one.'],
  ['type', 'string', 'What happened: one of the events below.'],
  ['occurred_at', 'date-time', 'When it happened.'],
  ['data', 'object', 'Details. `message_id` and `recipient_email` are in every event about a message.'],
];

const HEADERS: readonly (readonly [name: string, text: string])[] = [
  ['X-Service-Signature', '`t=<unix seconds>,v1=<hex>`: proves that the delivery is ours.'],
  ['X-Service-Event', 'The event’s type.'],
  ['X-Service-Delivery', 'The event’s id, as in the body. It names the event, not the attempt.'],
  [
    'webhook-id, webhook-timestamp, webhook-signature',
    'The same in the format of Standard Webhooks, for its libraries.',
  ],
];
