/** The parts that pages for people of a shop are made of. */
import type { Children } from '../../kit/jsxRuntime.ts';

export type BadgeTone = 'good' | 'waiting' | 'bad' | 'plain';

export function Badge({ tone, text }: { tone: BadgeTone; text: string }) {
  return <span class={`badge ${tone}`}>{text}</span>;
}

/**
 * A moment in UTC; the page's script shows it in the viewer's zone, with the exact moment on hover. `near`: without the year;
 * `exact`: with its seconds.
 */
export function ZonedTime({ at, near, exact }: { at: Date | string; near?: boolean; exact?: boolean }) {
  const moment = typeof at === 'string' ? at : at.toISOString();
  return (
    <time datetime={moment} title={moment} data-moment={near ? 'near' : exact ? 'exact' : ''}>
      {`${moment.slice(0, 10)} ${moment.slice(11, exact ? 19 : 16)} UTC`}
    </time>
  );
}

/** What an action just did, or why it did not. With `href` it is a standing warning, and the whole note leads there. */
export function FlashNote({ tone, text, href }: { tone: BadgeTone; text: string; href?: string }) {
  return (
    <p class={`flash-note ${tone}`} role={href === undefined ? 'status' : undefined}>
      {href === undefined ? text : <a href={href}>{text}</a>}
    </p>
  );
}

/** A part of a page under a heading. */
export function Panel({ id, title, children }: { id: string; title: Children; children: Children }) {
  return (
    <section class="panel" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/** Facts, each under its name. */
export function FactList({ facts }: { facts: readonly (readonly [name: string, fact: Children])[] }) {
  return (
    <dl class="answers">
      {facts.map(([name, fact]) => (
        <div>
          <dt>{name}</dt>
          <dd>{fact}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The ways on from a list; false: there is no such way. */
export function Pager({ links }: { links: readonly (readonly [href: string, label: string] | false)[] }) {
  return <p class="pager">{links.map((link) => link && <a href={link[0]}>{link[1]}</a>)}</p>;
}

/** A way on, on a line of its own. */
export function LinkLine({ href, label }: { href: string; label: string }) {
  return (
    <p>
      <a href={href}>{label}</a>
    </p>
  );
}

/** The way on that a page proposes. */
export function ButtonLine({ href, label }: { href: string; label: string }) {
  return (
    <p>
      <a class="button" href={href}>
        {label}
      </a>
    </p>
  );
}

export function LinkButton({ href, label, about }: { href: string; label: string; about?: string }) {
  return (
    <a class="button quiet" href={href} aria-label={about}>
      {label}
    </a>
  );
}

interface EmptyStateProps {
  title: string;
  /** What to do about it. */
  text?: string;
  children?: Children;
}

export function EmptyState({ title, text, children }: EmptyStateProps) {
  return (
    <div class="empty-state">
      <h2>{title}</h2>
      {text !== undefined && <p>{text}</p>}
      {children}
    </div>
  );
}

export interface TimelineStep {
  tone: BadgeTone;
  text: string;
  at: Date | string;
  /** A detail that most readers do not need. */
  detail?: string | null;
  /** What stands below it. */
  more?: Children;
}

/** What happened, in the order of time. */
export function TimelineSteps({ steps }: { steps: readonly TimelineStep[] }) {
  return (
    <ol class="story">
      {steps.map(({ tone, text, at, detail = null, more }) => (
        <li class={tone}>
          <span>{text}</span>
          <span class="hint">
            <ZonedTime at={at} />
            {detail !== null && <code>{detail}</code>}
          </span>
          {more}
        </li>
      ))}
    </ol>
  );
}
