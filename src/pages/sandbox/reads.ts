import type { Channel } from '../../contract/channels.ts';
import type { Queryable } from '../../db/statement.ts';
import { viewTimeline } from '../../messages/timeline.ts';
import { shipmentsOfOrder } from '../../orders/readsSql.ts';
import { type Captured, captured } from '../../sandbox/capture.ts';
import type { Flash } from '../kit/flash.ts';
import type { Site } from '../kit/page.tsx';
import type { ClockState } from './deps.ts';
import type { SandboxLocation } from './location.ts';
import {
  findOpened,
  listBubbles,
  listEventLines,
  listLatestEvents,
  listLines,
  listSends,
  listUpcoming,
} from './sql.ts';

/** What the parts of the sandbox's page are drawn from. */
export interface SandboxPageProps {
  site: Site;
  place: SandboxLocation;
  view: SandboxView;
  clock: ClockState;
  /** What a form just did. */
  flash: Flash | null;
  apiKey: string | null;
  /** The stream compares with this to see whether the page is current. */
  seen: string;
}

type SandboxView = Awaited<ReturnType<typeof readSandbox>>;
export type Opened = NonNullable<SandboxView['opened']>;

const MAX_LINES = 50;
const MAX_BUBBLES = 20;
const MAX_EVENTS = 40;
const MAX_UPCOMING = 6;
const MAX_LATEST_EVENTS = 12;

/** The data of the sandbox's page. */
export async function readSandbox(
  db: Queryable,
  { open, channel, to, before }: SandboxLocation,
  { publicUrl, now }: { publicUrl: string; now: Date },
) {
  const [found, upcoming, events] = await Promise.all([
    listLines(db, channel, to, before, MAX_LINES + 1),
    listUpcoming(db, now, MAX_UPCOMING),
    listLatestEvents(db, MAX_LATEST_EVENTS),
  ]);
  const lines = found.slice(0, MAX_LINES);
  const opened = open ?? lines[0]?.id;
  return {
    lines,
    /** The `before` of the next page; null on the last one. */
    older: found.length > MAX_LINES ? (lines.at(-1)?.id ?? null) : null,
    opened: opened === undefined ? null : await readOpened(db, opened, publicUrl),
    upcoming,
    events,
  };
}

async function readOpened(db: Queryable, id: string, publicUrl: string) {
  const [message] = await findOpened(db, id);
  if (message === undefined) return null;
  const { business_id, recipient_id, message_id, channel, recipient, reference } = message;
  const [bubbles, sends, events, timeline, shipments] = await Promise.all([
    channel === 'email' ? [] : listBubbles(db, business_id, recipient_id, channel, recipient, MAX_BUBBLES),
    message_id === null ? [] : listSends(db, business_id, message_id),
    message_id === null ? [] : listEventLines(db, business_id, recipient_id, message_id, MAX_EVENTS),
    message_id === null ? null : viewTimeline(db, business_id, message_id),
    reference === null ? [] : shipmentsOfOrder(db, business_id, reference, null),
  ]);
  return {
    message,
    /** The message's link into the inbox. */
    link: linkIn(message.text, publicUrl),
    /** The message's conversation, oldest first; empty for an email. */
    bubbles: bubbles.reverse(),
    sends,
    events,
    /** Of the merchant's message behind it, as the API has it. */
    timeline: timeline?.items ?? [],
    /** Of the message's order. */
    shipments,
  };
}

const TOKEN = /^[A-Za-z0-9_-]{22}/;

export const linkStart = (publicUrl: string): string => `${publicUrl}/i/`;

export function linkIn(text: string, publicUrl: string): string | null {
  const start = linkStart(publicUrl);
  const at = text.indexOf(start);
  const token = at === -1 ? null : (TOKEN.exec(text.slice(at + start.length))?.[0] ?? null);
  return token === null ? null : start + token;
}

/** Rows per statement; a mail is a few kilobytes. */
const PAGE = 500;

/** All captured messages, newest first, page by page, so that memory stays bounded. */
export async function* everythingCaptured(
  db: Queryable,
  filter: { channel: Channel | null; to: string | null; messageId: string | null },
): AsyncGenerator<Captured[]> {
  for (let before: string | undefined | null = null; before !== undefined; ) {
    const page: Captured[] = await captured(db, { ...filter, before, limit: PAGE });
    yield page;
    before = page.length < PAGE ? undefined : page.at(-1)?.id;
  }
}

/**
 * An address or number as it is stored. An unescaped plus in a URL arrives as a space, so a text of digits only is a number
 * without its plus.
 */
export function recipientAsStored(text: string): string {
  const bare = text.trim();
  return /^\d+$/.test(bare) ? `+${bare}` : bare.toLowerCase();
}
