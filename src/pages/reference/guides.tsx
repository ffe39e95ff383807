import * as limits from '../../config/limits.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../kit/clock.ts';
import type { Children } from '../../kit/jsxRuntime.ts';
import { TOLERANCE_SECONDS } from '../../kit/signedTime.ts';
import { FIRST_PUSH } from '../home/page.tsx';
import { readAsset } from '../kit/assets.ts';
import { asJson, CodeBlock, Curl, JsonCode, Prose } from '../kit/code.tsx';
import type { Failure } from './model.ts';
import { Anchor, FailureList } from './operation.tsx';

const span = (milliseconds: number): string => {
  if (milliseconds >= HOUR) return `${milliseconds / HOUR} h`;
  return milliseconds >= MINUTE ? `${milliseconds / MINUTE} min` : `${milliseconds / SECOND} s`;
};

/** What stands for a placeholder of the text. */
const FACTS: Readonly<Record<string, string>> = {
  keyHours: String(limits.IDEMPOTENCY_MEMORY_MS / HOUR),
  toleranceSeconds: String(TOLERANCE_SECONDS),
  timeoutSeconds: String(limits.WEBHOOK_TIMEOUT_MS / SECOND),
  retries: limits.WEBHOOK_RETRIES_MS.map(span).join(', '),
  failuresMax: String(limits.ENDPOINT_FAILURES_MAX),
};

/** The chapters' texts by their ids. */
const TEXTS: ReadonlyMap<string, string> = new Map(
  readAsset('guides.txt')
    .split(/^## /m)
    .map((chapter) => {
      const [id = '', ...text] = chapter.split('\n\n');
      return [id, text.join('\n\n').trim()];
    }),
);

interface GuideProps {
  id: string;
  title: string;
  /** Stands for `{description}` in the text. */
  description?: string;
  /** Below the text. */
  children?: Children;
  /** The second column: examples. */
  shown?: JSX.Element;
}

/** A chapter of the reference. Its text is in guides.txt. */
export function Guide({ id, title, description = '', children, shown }: GuideProps) {
  const facts: Readonly<Record<string, string>> = { ...FACTS, description };
  const text = (TEXTS.get(id) ?? '').replaceAll(/\{(\w+)\}/g, (_, name: string) => facts[name] ?? '');
  return (
    <section class={['guide', shown !== undefined && 'operation']} id={id}>
      <div class="explained">
        <h2>
          <Anchor id={id}>{title}</Anchor>
        </h2>
        <Prose text={text} />
        {children}
      </div>
      {shown !== undefined && <div class="shown">{shown}</div>}
    </section>
  );
}

interface BasicsProps {
  publicUrl: string;
  description: string;
  failures: readonly Failure[];
}

/** What holds for every operation. */
export const Basics = ({ publicUrl, description, failures }: BasicsProps) => (
  <>
    <Guide
      id="start"
      title="Start here"
      description={description}
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
    />
    <Guide
      id="authentication"
      title="Authentication"
      shown={
        <CodeBlock label="Check a key">
          <Curl method="GET" url={`${publicUrl}/api/v1/credits`} bearer="$WAYPOST_KEY" />
        </CodeBlock>
      }
    />
    <Guide id="idempotency" title="Idempotency" />
    <Guide
      id="errors"
      title="Errors"
      shown={
        <CodeBlock label="A request that is not valid" note="422">
          <JsonCode text={asJson(INVALID)} />
        </CodeBlock>
      }
    >
      <FailureList failures={failures} isIndex />
    </Guide>
    <Guide id="limits" title="Limits">
      <LimitsTable />
    </Guide>
  </>
);

const INVALID = {
  error_code: 'common.validation_failed',
  detail: [
    {
      type: 'string_too_long',
      loc: ['body', 'subject'],
      msg: `String should have at most ${limits.SUBJECT_MAX} characters`,
      input: 'Your order #1001 …',
    },
  ],
};

const MEBIBYTE = 1024 * 1024;
const number = (value: number): string => value.toLocaleString('en');

const LIMITS: readonly (readonly [what: string, value: string])[] = [
  [
    'Request body',
    `${limits.REQUEST_BODY_MAX / MEBIBYTE} MiB; ${limits.BATCH_BODY_MAX / MEBIBYTE} MiB for a batch`,
  ],
  ['Batch', `${limits.BATCH_MAX} messages`],
  ['Subject', `${limits.SUBJECT_MAX} characters`],
  ['Body of a message', `${number(limits.BODY_MAX)} characters`],
  ['Reference', `${limits.REFERENCE_MAX} characters`],
  ['Ids in obsoletes', String(limits.OBSOLETES_MAX)],
  ['send_at', `in the future, at most ${limits.SEND_AT_MAX_MS / DAY} days ahead`],
  [
    'escalate_if_unread_after_minutes',
    `${limits.ESCALATE_MIN_MINUTES} to ${number(limits.ESCALATE_MAX_MINUTES)} (${(limits.ESCALATE_MAX_MINUTES * MINUTE) / DAY} days)`,
  ],
  [
    'Idempotency-Key',
    `1 to ${limits.IDEMPOTENCY_KEY_MAX} characters; ${limits.BATCH_IDEMPOTENCY_KEY_MAX} for a batch`,
  ],
  ['Page of messages or orders', `${limits.PAGE_DEFAULT} by default, at most ${limits.PAGE_MAX}`],
  ['Active API keys', String(limits.ACTIVE_KEYS_MAX)],
  ['Name of a key', `${limits.KEY_NAME_MAX} characters`],
  ['Webhook endpoints', String(limits.ENDPOINTS_MAX)],
  ['Failed events in a row until an endpoint is disabled', String(limits.ENDPOINT_FAILURES_MAX)],
  [
    'Wait for a WhatsApp status before the fallback text',
    `${limits.WHATSAPP_STATUS_WAIT_MS / MINUTE} minutes`,
  ],
  [
    'SMS warm-up of a new account',
    `${limits.WARMUP_TEXTS_A_DAY} texts a day for the first ${limits.WARMUP_DAYS_MS / DAY} days`,
  ],
  ['Texts to the United States and Canada', 'unavailable'],
];

const LimitsTable = () => (
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
);
