import {
  ACTIVE_KEYS_MAX,
  BATCH_BODY_MAX,
  BATCH_IDEMPOTENCY_KEY_MAX,
  BATCH_MAX,
  BODY_MAX,
  ENDPOINT_FAILURES_MAX,
  ENDPOINTS_MAX,
  ESCALATE_MAX_MINUTES,
  ESCALATE_MIN_MINUTES,
  IDEMPOTENCY_KEY_MAX,
  IDEMPOTENCY_MEMORY_MS,
  KEY_NAME_MAX,
  OBSOLETES_MAX,
  PAGE_DEFAULT,
  PAGE_MAX,
  REFERENCE_MAX,
  REQUEST_BODY_MAX,
  SEND_AT_MAX_MS,
  SUBJECT_MAX,
  WARMUP_DAYS_MS,
  WARMUP_TEXTS_A_DAY,
  WHATSAPP_STATUS_WAIT_MS,
} from '../../config/limits.ts';
import { DAY, HOUR, MINUTE } from '../../kit/clock.ts';
import type { Children } from '../../kit/jsxRuntime.ts';
import { FIRST_PUSH } from '../home/page.tsx';
import { asJson, CodeBlock, Curl, Inline, JsonCode } from '../kit/code.tsx';
import type { Failure } from './model.ts';

/** A chapter of the reference. */
export function Guide({ id, title, children, shown }: GuideProps): JSX.Element {
  return (
    <section class={['guide', shown !== undefined && 'operation']} id={id}>
      <div class="told">
        <h2>
          <a class="anchor" href={`#${id}`}>
            {title}
          </a>
        </h2>
        {children}
      </div>
      {shown !== undefined && <div class="shown">{shown}</div>}
    </section>
  );
}

interface GuideProps {
  id: string;
  title: string;
  children: Children;
  /** The second column: examples. */
  shown?: JSX.Element | undefined;
}

export function Start({ publicUrl, description }: { publicUrl: string; description: string }): JSX.Element {
  return (
    <Guide
      id="start"
      title="Start here"
      shown={
        <CodeBlock label="A first push">
          <Curl
            method="POST"
            url={`${publicUrl}/api/v1/messages`}
            bearer="$WAYPOST_KEY"
            idempotencyKey="order-1001-shipped"
            body={FIRST_PUSH}
          />
        </CodeBlock>
      }
    >
      <p>
        <Inline text={description} /> The update is kept in that person’s inbox, which is the source of truth.
        An email with a link into it goes out; a text or a WhatsApp message goes too where you ask for it, and
        costs a credit.
      </p>
      <p>
        A push returns <code>201</code> as soon as the message is stored. Nudges go out afterwards:{' '}
        <a href="#webhooks">webhooks</a> report their outcome, and the <a href="#getMessage">message</a> shows
        it. A channel that was not used is not an error: its block in the response has{' '}
        <code>skipped_reason</code>.
      </p>
      <p>
        Bodies are JSON in UTF-8. Times are RFC 3339 with a timezone; responses have them in UTC with
        milliseconds. Unknown fields are ignored, types are never coerced, and a response always has every
        declared field.
      </p>
      <p>
        Every response has an <code>X-Request-Id</code>: yours, if you send one of 1 to 128 letters, digits
        and <code>._-</code>, otherwise a new one. Quote it when you ask us about a call.
      </p>
    </Guide>
  );
}

export function AuthenticationGuide({ publicUrl }: { publicUrl: string }): JSX.Element {
  return (
    <Guide
      id="authentication"
      title="Authentication"
      shown={
        <CodeBlock label="Check a key">
          <Curl method="GET" url={`${publicUrl}/api/v1/credits`} bearer="$WAYPOST_KEY" />
        </CodeBlock>
      }
    >
      <p>
        Every operation takes an API key in <code>Authorization: Bearer way_live_…</code>. A key that is
        missing, malformed or revoked gets a 401. Data of another business looks as if it did not exist.
      </p>
      <p>
        The examples read the key from the shell variable <code>WAYPOST_KEY</code>.
      </p>
    </Guide>
  );
}

export function Idempotency(): JSX.Element {
  return (
    <Guide id="idempotency" title="Idempotency">
      <p>
        Operations that take an <code>Idempotency-Key</code> are safe to retry: after a timeout, a broken
        connection or a 5xx, send the same request with the same key again, and nothing happens twice.
      </p>
      <ul>
        <li>
          Same key, same body: the stored response with its status, and <code>Idempotent-Replayed: true</code>
          .
        </li>
        <li>
          Same key, different body: 409{' '}
          <a href="#error-idempotency.key_reused">
            <code>idempotency.key_reused</code>
          </a>
          . White space and the order of fields do not count.
        </li>
        <li>
          The first call is still running: 409{' '}
          <a href="#error-idempotency.request_in_progress">
            <code>idempotency.request_in_progress</code>
          </a>
          . Retry shortly.
        </li>
        <li>A key is kept for {IDEMPOTENCY_MEMORY_MS / HOUR} hours, per business and operation.</li>
        <li>
          A refused request does not use up its key: after a 401, 403, 413, 415, 422 or 429, correct it and
          send it with the same key.
        </li>
      </ul>
      <p>
        Derive the key from what the call is about, such as <code>order-1001-shipped</code>, not from the
        time.
      </p>
    </Guide>
  );
}

export function Errors({ failures }: { failures: readonly Failure[] }): JSX.Element {
  return (
    <Guide
      id="errors"
      title="Errors"
      shown={
        <CodeBlock label="A request that is not valid" note="422">
          <JsonCode text={asJson(INVALID)} />
        </CodeBlock>
      }
    >
      <p>
        Every error has an <code>error_code</code> for programs, which does not change, and a{' '}
        <code>detail</code> for people: a sentence, or with <code>common.validation_failed</code> one entry
        per fault in Pydantic’s format. A response lists all faults of the request.
      </p>
      <p>
        Retry connection failures, 429 and 5xx with the same idempotency key, after <code>Retry-After</code>{' '}
        seconds if the response has it. Do not retry another 4xx unchanged, except{' '}
        <code>idempotency.request_in_progress</code> and <code>request.conflict</code>.
      </p>
      <ul class="failures">
        {failures.map(({ status, code, sentence }) => (
          <li id={`error-${code}`}>
            <span class="status">{status}</span>
            <span>
              <a href={`#error-${code}`}>
                <code>{code}</code>
              </a>
              <br />
              <span>{sentence}</span>
            </span>
          </li>
        ))}
      </ul>
    </Guide>
  );
}

const INVALID = {
  error_code: 'common.validation_failed',
  detail: [
    {
      type: 'string_too_long',
      loc: ['body', 'subject'],
      msg: `String should have at most ${SUBJECT_MAX} characters`,
      input: 'Your order #1001 …',
    },
  ],
};

const MEBIBYTE = 1024 * 1024;
const number = (value: number): string => value.toLocaleString('en');

const LIMITS: readonly (readonly [what: string, value: string])[] = [
  ['Request body', `${REQUEST_BODY_MAX / MEBIBYTE} MiB; ${BATCH_BODY_MAX / MEBIBYTE} MiB for a batch`],
  ['Batch', `${BATCH_MAX} messages`],
  ['Subject', `${SUBJECT_MAX} characters`],
  ['Body of a message', `${number(BODY_MAX)} characters`],
  ['Reference', `${REFERENCE_MAX} characters`],
  ['Ids in obsoletes', String(OBSOLETES_MAX)],
  ['send_at', `in the future, at most ${SEND_AT_MAX_MS / DAY} days ahead`],
  [
    'escalate_if_unread_after_minutes',
    `${ESCALATE_MIN_MINUTES} to ${number(ESCALATE_MAX_MINUTES)} (${(ESCALATE_MAX_MINUTES * MINUTE) / DAY} days)`,
  ],
  ['Idempotency-Key', `1 to ${IDEMPOTENCY_KEY_MAX} characters; ${BATCH_IDEMPOTENCY_KEY_MAX} for a batch`],
  ['Page of messages', `${PAGE_DEFAULT} by default, at most ${PAGE_MAX}`],
  ['Active API keys', String(ACTIVE_KEYS_MAX)],
  ['Name of a key', `${KEY_NAME_MAX} characters`],
  ['Webhook endpoints', String(ENDPOINTS_MAX)],
  ['Failed events in a row until an endpoint is disabled', String(ENDPOINT_FAILURES_MAX)],
  ['Wait for a WhatsApp status before the fallback text', `${WHATSAPP_STATUS_WAIT_MS / MINUTE} minutes`],
  [
    'SMS warm-up of a new account',
    `${WARMUP_TEXTS_A_DAY} texts a day for the first ${WARMUP_DAYS_MS / DAY} days`,
  ],
  ['Texts to the United States and Canada', 'unavailable'],
];

export function Limits(): JSX.Element {
  return (
    <Guide id="limits" title="Limits">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Limit</th>
          </tr>
        </thead>
        <tbody>
          {LIMITS.map(([what, value]) => (
            <tr>
              <td>{what}</td>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        Calls are limited per key by a token bucket; a batch counts as one. Responses have{' '}
        <code>RateLimit-Limit</code>, <code>RateLimit-Remaining</code> and <code>RateLimit-Reset</code>, and a
        429 has <code>Retry-After</code>, the seconds to wait. Lengths are in Unicode code points.
      </p>
    </Guide>
  );
}
