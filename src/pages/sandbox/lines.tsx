import { channels } from '../../contract/channels.ts';
import type { Site } from '../kit/page.tsx';
import { addressOf, type SandboxLocation } from './location.ts';
import { ChannelIcon, Chip, LocalTime } from './parts.tsx';
import type { SandboxView } from './reads.ts';
import type { LineRow } from './sql.ts';
import { channelName, fateOf } from './words.ts';

interface LinesProps {
  site: Site;
  place: SandboxLocation;
  view: SandboxView;
}

/** The captured messages, newest first, with a filter. */
export function Lines({ site, place, view }: LinesProps): JSX.Element {
  const at = (change: Partial<SandboxLocation>) =>
    addressOf(site, '/sandbox', { ...place, open: null, before: null, ...change });
  return (
    <section class="captured" aria-labelledby="captured-title">
      <h2 id="captured-title">What was sent</h2>
      <nav class="tabs" aria-label="Channel">
        <a href={at({ channel: null })} aria-current={place.channel === null ? 'true' : undefined}>
          All
        </a>
        {channels.map((channel) => (
          <a href={at({ channel })} aria-current={place.channel === channel ? 'true' : undefined}>
            {channelName[channel]}
          </a>
        ))}
      </nav>
      <search>
        <form class="find" method="get" action={site.to('/sandbox')}>
          {place.channel !== null && <input type="hidden" name="channel" value={place.channel} />}
          <label for="find-to">Address or number</label>
          <input
            id="find-to"
            name="to"
            type="search"
            value={place.to}
            maxlength={200}
            autocomplete="off"
            placeholder="ann@, 0134 …"
          />
          <button class="small" type="submit">
            Find
          </button>
        </form>
      </search>
      <div data-region id="lines">
        {view.lines.length === 0 ? (
          <p class="hint none">
            {place.channel === null && place.to === '' ? 'Nothing yet.' : 'Nothing was sent that fits.'}
          </p>
        ) : (
          <ol class="lines">
            {view.lines.map((line) => (
              <Line site={site} place={place} line={line} isOpen={line.id === view.opened?.message.id} />
            ))}
          </ol>
        )}
        <p class="pages">
          {place.before !== null && <a href={at({})}>Newest</a>}
          {view.older !== null && <a href={at({ before: view.older })}>Older</a>}
        </p>
      </div>
    </section>
  );
}

interface LineProps {
  site: Site;
  place: SandboxLocation;
  line: LineRow;
  isOpen: boolean;
}

function Line({ site, place, line, isOpen }: LineProps): JSX.Element {
  return (
    <li id={`line-${line.id}`}>
      <a
        href={addressOf(site, '/sandbox', { ...place, open: line.id })}
        aria-current={isOpen ? 'true' : undefined}
      >
        <ChannelIcon channel={line.channel} />
        <span class="what">
          <strong>{line.recipient}</strong>
          <span class="gist" dir="auto">
            {line.subject ?? line.text}
          </span>
          <span class="facts">
            <Chip fate={fateOf(line)} />
            <LocalTime at={line.at} />
          </span>
        </span>
      </a>
    </li>
  );
}
