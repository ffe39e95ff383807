import type { TimelineItem } from '../../contract/timeline.ts';
import type { ApiError } from '../../kit/errors.ts';
import { FirstPush } from '../home/page.tsx';
import { notice, type Site, shell } from '../kit/page.tsx';
import { ClockStrip } from './clock.tsx';
import type { ClockState } from './deps.ts';
import { EventsFeed } from './feed.tsx';
import { Lines } from './lines.tsx';
import { addressOf, SANDBOX_FLASHES, type SandboxFlash, type SandboxLocation } from './location.ts';
import { OpenedMessage } from './opened.tsx';
import { People } from './people.tsx';
import type { SandboxView } from './reads.ts';
import { scenariosOf } from './scenarios.ts';

interface SandboxPageProps {
  site: Site;
  place: SandboxLocation;
  view: SandboxView;
  /** Of the open message. */
  timeline: readonly TimelineItem[];
  clock: ClockState;
  /** What a form just did. */
  flash: SandboxFlash | null;
  apiKey: string | null;
  /** The stream compares with this to see whether the page is current. */
  seen: string;
}

/** The sandbox's page: captured messages, what the people can do, and what follows. */
export function sandboxPage(props: SandboxPageProps): string {
  const { site, place, view, timeline, clock, flash, apiKey, seen } = props;
  const isEmpty =
    view.lines.length === 0 && place.channel === null && place.to === '' && place.before === null;
  return shell({
    site,
    at: 'sandbox',
    title: 'Sandbox · Waypost',
    files: ['sandbox.css', 'sandbox.js'],
    children: (
      <main id="main" class="sandbox" data-live={addressOf(site, '/sandbox/live', place, { seen })}>
        <h1 class="hidden">Sandbox</h1>
        <ClockStrip site={site} place={place} clock={clock} upcoming={view.upcoming} />
        <p id="said" class="said" role="status">
          {flash && SANDBOX_FLASHES[flash]}
        </p>
        {apiKey !== null && <Try site={site} />}
        <div data-region id="empty">
          {isEmpty && <Empty site={site} apiKey={apiKey} />}
        </div>
        <div
          class={['panes', place.open !== null && 'panes-chosen']}
          id="panes"
          data-filter={[place.channel, place.to, place.before].join(' ')}
        >
          <Lines site={site} place={place} view={view} />
          <div id="detail" data-message={view.opened?.message.id ?? ''}>
            {view.opened === null ? (
              <p class="hint none">
                {place.open !== null && 'This message is not here any more: it was erased.'}
              </p>
            ) : (
              <OpenedMessage site={site} place={place} opened={view.opened} timeline={timeline} />
            )}
          </div>
        </div>
        <EventsFeed site={site} apiKey={apiKey} events={view.events} />
        <People />
      </main>
    ),
  });
}

function Try({ site }: { site: Site }): JSX.Element {
  return (
    <section class="scenarios" aria-labelledby="try-title">
      <h2 id="try-title">Push something</h2>
      <ul>
        {scenariosOf('#1001').map(({ name, label, watch }) => (
          <li>
            <form method="post" action={site.to('/sandbox/try')} data-sent-by-script>
              <input type="hidden" name="scenario" value={name} />
              <button class="small" type="submit" id={`try-${name}`}>
                {label}
              </button>
            </form>
            <span class="hint">{watch}</span>
            <a id={`preview-${name}`} href={`${site.to('/sandbox/preview')}?scenario=${name}`}>
              Preview<span class="hidden">{`: ${label}`}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Empty({ site, apiKey }: { site: Site; apiKey: string | null }): JSX.Element {
  return (
    <section class="empty">
      <h2>Nothing was sent yet</h2>
      <p>Push an update, and the email to Ann appears here by itself. Nothing leaves this machine.</p>
      <FirstPush site={site} apiKey={apiKey} />
    </section>
  );
}

/** `/sandbox/inbox` before there is any message. */
export const noInboxPage = (site: Site, apiKey: string | null): string =>
  notice({
    site,
    title: 'Nobody has an inbox yet',
    children: (
      <>
        <p>An inbox comes with the first update. Push one, and come back:</p>
        <FirstPush site={site} apiKey={apiKey} />
        <p>
          <a class="button" href={site.to('/sandbox')}>
            To the sandbox
          </a>
        </p>
      </>
    ),
  });

/** An error page. */
export const sandboxErrorPage = (site: Site, error: ApiError): string =>
  notice({
    site,
    title: 'That could not be done',
    children: (
      <>
        {sentencesOf(error).map((sentence) => (
          <p>{sentence}</p>
        ))}
        <p>
          <a class="button" href={site.to('/sandbox')}>
            To the sandbox
          </a>
        </p>
      </>
    ),
  });

const sentencesOf = ({ detail }: ApiError): string[] =>
  typeof detail === 'string' ? [detail] : detail.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`);
