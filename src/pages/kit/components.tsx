/** The parts that pages for people of a shop are made of. */

export type BadgeTone = 'good' | 'waiting' | 'bad' | 'plain';

export function Badge({ tone, text }: { tone: BadgeTone; text: string }): JSX.Element {
  return <span class={`badge ${tone}`}>{text}</span>;
}

/** A moment in UTC; the page's script shows it in the viewer's zone, with the exact moment on hover, and without the year if near. */
export function ZonedTime({ at, near = false }: { at: string; near?: boolean }): JSX.Element {
  return (
    <time datetime={at} title={at} data-moment={near ? 'near' : ''}>
      {`${at.slice(0, 10)} ${at.slice(11, 16)} UTC`}
    </time>
  );
}

/** What an act just did, or why it did not. With `href` the whole note leads there. */
export function FlashNote({
  tone,
  text,
  href,
}: {
  tone: BadgeTone;
  text: string;
  href?: string;
}): JSX.Element {
  return (
    <p class={`flash-note ${tone}`} role="status">
      {href === undefined ? <span>{text}</span> : <a href={href}>{text}</a>}
    </p>
  );
}

export function EmptyState({ title, children }: { title: string; children: JSX.Element }): JSX.Element {
  return (
    <div class="empty-state">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

interface TimelineStep {
  tone: BadgeTone;
  text: string;
  at: string;
  /** A detail that most readers do not need. */
  detail?: string | null;
}

/** What happened, in the order of time. */
export function TimelineSteps({ steps }: { steps: readonly TimelineStep[] }): JSX.Element {
  return (
    <ol class="story">
      {steps.map(({ tone, text, at, detail = null }) => (
        <li class={tone}>
          <span>{text}</span>
          <span class="hint">
            <ZonedTime at={at} />
            {detail !== null && <code>{detail}</code>}
          </span>
        </li>
      ))}
    </ol>
  );
}
