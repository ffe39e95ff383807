import * as limits from '../../config/limits.ts';
import { DAY, MINUTE } from '../../kit/clock.ts';
import type { Children } from '../../kit/jsxRuntime.ts';
import { CodeBlock, Prose } from '../kit/code.tsx';
import { OperationExample } from './examples/example.tsx';
import { FailureList } from './failures.tsx';
import { guideText } from './guideTexts.ts';
import { Anchor } from './operation.tsx';
import { type DocView, withLinks } from './view.ts';

interface GuideProps {
  view: DocView;
  id: string;
  title: string;
  /** Below the text. */
  children?: Children;
  /** The second column: examples. */
  shown?: JSX.Element | false;
}

/** A chapter of the reference. Its text is in guides.txt. */
export function Guide({ view, id, title, children, shown = false }: GuideProps) {
  const { description } = view.reference;
  return (
    <section class={['guide', shown !== false && 'operation']} id={id}>
      <div class="explained">
        <h2>
          <Anchor id={id}>{title}</Anchor>
        </h2>
        <Prose text={withLinks(guideText(id, { description }), view)} />
        {children}
      </div>
      {shown !== false && <div class="shown">{shown}</div>}
    </section>
  );
}

/** What holds for every operation. */
export const Basics = ({ view }: { view: DocView }) => (
  <>
    <Guide
      view={view}
      id="start"
      title="Start here"
      shown={
        <>
          <CodeBlock label="Base URL">{`${view.site.publicUrl}${view.reference.basePath}`}</CodeBlock>
          {exampleOf(view, 'pushMessage', 'start')}
        </>
      }
    />
    <Guide
      view={view}
      id="authentication"
      title="Authentication"
      shown={exampleOf(view, 'getCredits', 'authentication')}
    />
    <Guide view={view} id="idempotency" title="Idempotency" />
    <Guide
      view={view}
      id="pagination"
      title="Pagination"
      shown={exampleOf(view, 'listMessages', 'pagination')}
    />
    <Guide view={view} id="errors" title="Errors">
      <FailureList view={view} failures={view.reference.failures} isIndex hasBodies />
    </Guide>
    <Guide view={view} id="limits" title="Limits">
      <LimitsTable />
    </Guide>
  </>
);

/** An operation's example as that of a chapter. */
function exampleOf(view: DocView, operationId: string, chapter: string): JSX.Element | false {
  const operation = view.reference.groups
    .flatMap(({ operations }) => operations)
    .find(({ id }) => id === operationId);
  return (
    operation !== undefined && <OperationExample view={view} id={`${chapter}.call`} operation={operation} />
  );
}

const MEBIBYTE = 1024 * 1024;
const number = (value: number): string => value.toLocaleString('en');

export const LIMITS: readonly (readonly [what: string, value: string])[] = [
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
