import { channels } from '../../contract/channels.ts';
import { CHANNEL_TITLES } from '../kit/channelWords.ts';
import { Badge, ZonedTime } from '../kit/components.tsx';
import { HiddenFields } from '../kit/forms.tsx';
import { addressInSandbox, type SandboxLocation } from './location.ts';
import { ChannelIcon } from './parts.tsx';
import type { SandboxPageProps } from './reads.ts';
import type { LineRow } from './sql.ts';
import { capturedBadge } from './words.ts';

/** The captured messages, newest first, with a filter. */
export function Lines({ site, place, view }: SandboxPageProps) {
  const at = (change: Partial<SandboxLocation>) =>
    addressInSandbox(site, '/sandbox', { ...place, open: null, before: null, ...change });
  return (
    <section class="captured" aria-labelledby="captured-title">
      <h2 id="captured-title">What was sent</h2>
      <nav class="tabs" aria-label="Channel">
        {[null, ...channels].map((channel) => (
          <a href={at({ channel })} aria-current={place.channel === channel ? 'true' : undefined}>
            {channel === null ? 'All' : CHANNEL_TITLES[channel]}
          </a>
        ))}
      </nav>
      <Search site={site} place={place} />
      <div data-region id="lines">
        {view.lines.length === 0 && (
          <p class="hint none">
            {place.channel === null && place.to === '' ? 'Nothing yet.' : 'Nothing was sent that fits.'}
          </p>
        )}
        <ol class="lines">
          {view.lines.map((line) => (
            <Line
              line={line}
              href={addressInSandbox(site, '/sandbox', { ...place, open: line.id })}
              isOpen={line.id === view.opened?.message.id}
            />
          ))}
        </ol>
        <p class="pages">
          {place.before !== null && <a href={at({})}>Newest</a>}
          {view.older !== null && <a href={at({ before: view.older })}>Older</a>}
        </p>
      </div>
    </section>
  );
}

const Search = ({ site, place }: Pick<SandboxPageProps, 'site' | 'place'>) => (
  <search>
    <form class="find" method="get" action={site.to('/sandbox')}>
      <HiddenFields values={{ channel: place.channel }} />
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
);

const Line = ({ line, href, isOpen }: { line: LineRow; href: string; isOpen: boolean }) => (
  <li id={`line-${line.id}`}>
    <a href={href} aria-current={isOpen ? 'true' : undefined}>
      <ChannelIcon channel={line.channel} />
      <span class="what">
        <strong>{line.recipient}</strong>
        <span class="gist" dir="auto">
          {line.subject ?? line.text}
        </span>
        <span class="facts">
          <Badge {...capturedBadge(line)} />
          <ZonedTime at={line.at} />
        </span>
      </span>
    </a>
  </li>
);
