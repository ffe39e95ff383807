import type { Channel } from '../contract/channels.ts';
import type { Queryable } from '../db/statement.ts';
import type { Captured } from './capture.ts';
import {
  type BubbleRow,
  countEndpoints,
  type EventLineRow,
  findOpened,
  type LineRow,
  listBubbles,
  listCapturedBefore,
  listEventLines,
  listLines,
  listSends,
  listUpcoming,
  type OpenedRow,
  type SendLineRow,
  type UpcomingRow,
} from './pageSql.ts';

/** Everything the sandbox's page shows, as plain data. */
export interface SandboxView {
  lines: LineRow[];
  /** The id below which the list goes on; null: it does not. */
  older: string | null;
  opened: Opened | null;
  upcoming: UpcomingRow[];
}

export interface Opened {
  message: OpenedRow;
  /** The link into the inbox that it carries. */
  link: string | null;
  /** The conversation it belongs to, oldest first; empty for an email. */
  bubbles: BubbleRow[];
  sends: SendLineRow[];
  told: EventLineRow[];
  /** Of the business, for it to be told anything. */
  endpoints: number;
}

export interface Asked {
  open: string | null;
  channel: Channel | null;
  to: string;
  before: string | null;
}

const LINES = 50;
const BUBBLES = 20;
const TOLD = 40;
const UPCOMING = 6;

export async function readSandbox(
  db: Queryable,
  asked: Asked,
  { publicUrl, now }: { publicUrl: string; now: Date },
): Promise<SandboxView> {
  const [found, upcoming] = await Promise.all([
    listLines(db, asked.channel, asked.to, asked.before, LINES + 1),
    listUpcoming(db, now, UPCOMING),
  ]);
  const lines = found.slice(0, LINES);
  const open = asked.open ?? lines[0]?.id ?? null;
  return {
    lines,
    older: found.length > LINES ? (lines.at(-1)?.id ?? null) : null,
    opened: open === null ? null : await readOpened(db, open, publicUrl),
    upcoming,
  };
}

async function readOpened(db: Queryable, id: string, publicUrl: string): Promise<Opened | null> {
  const [message] = await findOpened(db, id);
  if (message === undefined) return null;
  const { business_id, recipient_id, message_id, channel, recipient } = message;
  const [bubbles, sends, told, counted] = await Promise.all([
    channel === 'email' ? [] : listBubbles(db, business_id, recipient_id, channel, recipient, BUBBLES),
    message_id === null ? [] : listSends(db, business_id, message_id),
    message_id === null ? [] : listEventLines(db, business_id, recipient_id, message_id, TOLD),
    countEndpoints(db, business_id),
  ]);
  return {
    message,
    link: linkIn(message.text, publicUrl),
    bubbles: bubbles.reverse(),
    sends,
    told,
    endpoints: counted[0]?.endpoints ?? 0,
  };
}

const TOKEN = /^[A-Za-z0-9_-]{22}/;

export const linkStart = (publicUrl: string): string => `${publicUrl}/i/`;

/** The link into the inbox within a text, if it has one. */
export function linkIn(text: string, publicUrl: string): string | null {
  const start = linkStart(publicUrl);
  const at = text.indexOf(start);
  const token = at === -1 ? null : (TOKEN.exec(text.slice(at + start.length))?.[0] ?? null);
  return token === null ? null : start + token;
}

/** Read at once; a mail is a few kilobytes. */
const PIECE = 500;

/** Everything that was captured, newest first, however much it is: read piece by piece, never all at once. */
export async function* everythingCaptured(
  db: Queryable,
  { channel, to }: { channel: Channel | null; to: string | null },
): AsyncGenerator<Captured> {
  let before: string | null = null;
  for (;;) {
    const rows = await listCapturedBefore(db, channel, to, before, PIECE);
    for (const { recipient, at, ...row } of rows) yield { ...row, to: recipient, at: at.toISOString() };
    const last = rows.at(-1);
    if (last === undefined || rows.length < PIECE) return;
    before = last.id;
  }
}

/**
 * An address or number as it is stored. The plus of a number that stands unescaped in an address arrives as a space,
 * and what is all digits can be nothing else.
 */
export function recipientAsStored(text: string): string {
  const bare = text.trim();
  return /^\d+$/.test(bare) ? `+${bare}` : bare.toLowerCase();
}
