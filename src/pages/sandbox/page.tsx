import type { ApiError } from '../../kit/errors.ts';
import type { Children } from '../../kit/jsxRuntime.ts';
import { FirstPush } from '../home/page.tsx';
import { ButtonLine } from '../kit/components.tsx';
import { DataTable } from '../kit/dataTable.tsx';
import { notice, type Site, shell } from '../kit/page.tsx';
import { ClockStrip } from './clock.tsx';
import { EventsFeed } from './events.tsx';
import { Lines } from './lines.tsx';
import { addressInSandbox } from './location.ts';
import { OpenedMessage } from './opened.tsx';
import { DoButton, SANDBOX_FILES } from './parts.tsx';
import type { SandboxPageProps } from './reads.ts';
import { scenariosOf } from './scenarios.ts';

/** The sandbox's page: captured messages, what the people can do, and what follows. */
export function sandboxPage(props: SandboxPageProps): string {
  const { site, place, view, flash, apiKey, seen } = props;
  const isEmpty =
    view.lines.length === 0 && place.channel === null && place.to === '' && place.before === null;
  return shell({
    site,
    at: 'sandbox',
    title: 'Sandbox · Waypost',
    files: SANDBOX_FILES,
    children: (
      <main id="main" class="sandbox" data-live={addressInSandbox(site, '/sandbox/live', place, { seen })}>
        <h1 class="visually-hidden">Sandbox</h1>
        <ClockStrip {...props} />
        <p id="said" class="said" role="status">
          {flash?.text}
        </p>
        {apiKey !== null && <Try site={site} now={props.clock.now} />}
        <div data-region id="empty">
          {isEmpty && (
            <section class="empty">
              <h2>Nothing was sent yet</h2>
              <p>Push an update, and the email to Ann appears here by itself. Nothing leaves this machine.</p>
              <FirstPush site={site} apiKey={apiKey} />
            </section>
          )}
        </div>
        <div
          class={['panes', place.open !== null && 'panes-chosen']}
          id="panes"
          data-filter={[place.channel, place.to, place.before].join(' ')}
        >
          <Lines {...props} />
          <div id="detail" data-message={view.opened?.message.id ?? ''}>
            {view.opened === null ? (
              <p class="hint none">
                {place.open !== null && 'This message is not here any more: it was erased.'}
              </p>
            ) : (
              <OpenedMessage {...props} opened={view.opened} />
            )}
          </div>
        </div>
        <EventsFeed {...props} />
        <People />
      </main>
    ),
  });
}

const Try = ({ site, now }: { site: Site; now: Date }) => (
  <section class="scenarios" aria-labelledby="try-title">
    <h2 id="try-title">Push something</h2>
    <ul>
      {scenariosOf('#1001', now).map(({ name, label, watch }) => (
        <li>
          <DoButton
            id={`try-${name}`}
            action={site.to('/sandbox/try')}
            values={{ scenario: name }}
            label={label}
          />
          <span class="hint">{watch}</span>
          <a id={`preview-${name}`} href={`${site.to('/sandbox/preview')}?scenario=${name}`}>
            Preview<span class="visually-hidden">{`: ${label}`}</span>
          </a>
        </li>
      ))}
    </ul>
  </section>
);

/** Recipients with a fixed outcome. The sandbox's own rules decide. */
const PEOPLE: readonly (readonly [address: string, number: string, outcome: string])[] = [
  ['anything else', 'anything else', 'Accepted, and delivered within a second.'],
  ['silent@…', '… 9004', 'Accepted; no report ever comes.'],
  ['bounce@…', '… 9003', 'Accepted, then it bounces or fails.'],
  ['complain@…', '', 'Delivered, then marked as spam.'],
  ['refuse@…', '… 9001', 'The provider refuses every attempt.'],
  ['unknown@…', '… 9002', 'The provider takes it, and its answer is lost.'],
  ['flaky@…', '… 9006', 'Not reachable twice, then accepted.'],
  ['down@…', '… 9007', 'Never reachable.'],
  ['', '… 9005', 'Not on WhatsApp; SMS works.'],
  ['', '… 9008', 'WhatsApp is delivered, then read.'],
];

const People = () => (
  <details class="people">
    <summary>People to push to, and what becomes of it</summary>
    <DataTable
      caption="People to push to"
      columns={[
        { title: 'What happens', cell: ([, , outcome]) => outcome },
        { title: 'Address', cell: ([address]) => address },
        { title: 'Number ends in', cell: ([, number]) => number },
      ]}
      rows={PEOPLE}
    />
    <p class="hint">
      The start of the address counts, up to a plus or the at sign. Numbers for play:{' '}
      <code>+44 7700 909004</code> and its neighbours belong to nobody.
    </p>
  </details>
);

/** A page with one message, which leads back. */
const sandboxNotice = (site: Site, title: string, children: Children): string =>
  notice(site, title, [children, <ButtonLine href={site.to('/sandbox')} label="To the sandbox" />]);

/** `/sandbox/inbox` before there is any message. */
export const noInboxPage = (site: Site, apiKey: string | null): string =>
  sandboxNotice(site, 'Nobody has an inbox yet', [
    <p>An inbox comes with the first update. Push one, and come back:</p>,
    <FirstPush site={site} apiKey={apiKey} />,
  ]);

export const sandboxErrorPage = (site: Site, { detail }: ApiError): string =>
  sandboxNotice(
    site,
    'That could not be done',
    typeof detail === 'string' ? (
      <p>{detail}</p>
    ) : (
      detail.map(({ loc, msg }) => <p>{`${loc.slice(1).join('.')}: ${msg}`}</p>)
    ),
  );
