import { asJson, CodeBlock, Curl } from '../kit/code.tsx';
import type { Site } from '../kit/page.tsx';
import { LocalTime } from './parts.tsx';
import type { LatestEventRow } from './sql.ts';

interface EventsFeedProps {
  site: Site;
  apiKey: string | null;
  events: readonly LatestEventRow[];
}

/** The latest events of all businesses, newest first, and how a program reads them. */
export function EventsFeed({ site, apiKey, events }: EventsFeedProps): JSX.Element {
  return (
    <section class="feed" aria-labelledby="feed-title">
      <h2 id="feed-title">Events</h2>
      <div data-region id="feed">
        {events.length === 0 && <p class="hint">None yet.</p>}
        <ol class="feed-events">
          {events.map((event) => (
            <FeedLine event={event} />
          ))}
        </ol>
      </div>
      <details>
        <summary>Read them with a program</summary>
        <p class="hint">
          Follow <code>next</code> to see each event once, in order, with or without a webhook:{' '}
          <a href={`${site.to('/docs')}#listEvents`}>the reference</a>.
        </p>
        <CodeBlock label="Read events">
          <Curl
            method="GET"
            url={`${site.publicUrl}/api/v1/events?wait=10`}
            bearer={apiKey ?? '$WAYPOST_KEY'}
          />
        </CodeBlock>
      </details>
    </section>
  );
}

function FeedLine({ event }: { event: LatestEventRow }): JSX.Element {
  const { id, type, occurred_at, data, business_name, whom } = event;
  return (
    <li id={`feed-${id}`}>
      <details>
        <summary>
          <code>{type}</code>{' '}
          <span class="whom">
            <bdi>{whom ?? business_name}</bdi>
          </span>{' '}
          <LocalTime at={occurred_at} />
        </summary>
        <pre tabindex="0">{asJson({ id, type, occurred_at, data })}</pre>
      </details>
    </li>
  );
}
