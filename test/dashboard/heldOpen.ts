import { get, type IncomingMessage } from 'node:http';
import type { TestService } from '../support/service.ts';
import type { MemberBrowser } from './memberBrowser.ts';

/** A stream as a browser keeps it: what was said on it so far, and whether it is over. */
export interface OpenStream {
  status: number | undefined;
  type: string | undefined;
  changes(): number;
  said(): string;
  isOver(): boolean;
  /** Whether its end came, rather than that of the connection. */
  isWhole(): boolean;
  hangUp(): void;
  /** Reads nothing any more, so that what the server sends piles up there; and reads on. */
  pause(): void;
  resume(): void;
}

export const cookieOf = (member: MemberBrowser): string =>
  [...member.cookies].map(([name, value]) => `${name}=${value}`).join('; ');

/** Asks for a path on a connection of its own, and answers once the response begins. */
export async function openStream(member: MemberBrowser, path: string): Promise<OpenStream> {
  const request = get(member.url + path, { agent: false, headers: { cookie: cookieOf(member) } });
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).once('error', reject);
  });
  let said = '';
  let isOver = false;
  answer
    .setEncoding('utf8')
    .on('error', () => {})
    .on('close', () => {
      isOver = true;
    })
    .on('data', (chunk) => {
      said += chunk;
    });
  return {
    status: answer.statusCode,
    type: answer.headers['content-type'],
    changes: () => said.split('event: changed').length - 1,
    said: () => said,
    isOver: () => isOver,
    isWhole: () => answer.complete,
    hangUp: () => request.destroy(),
    pause: () => void answer.pause(),
    resume: () => void answer.resume(),
  };
}

/** The stream that an open page of the dashboard listens to. */
export async function openLivePage(member: MemberBrowser, page: string): Promise<OpenStream> {
  const path = /data-live="([^"]+)"/.exec((await member.get(page)).text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  return openStream(member, path);
}

/** More than the buffers between two ends hold, so that a file that nobody reads stays open. */
const ENTRIES = 4_000;
const NOTE_CHARACTERS = 5_000;

/** Gives a shop a ledger that takes as long to download as its reader likes. */
export async function writeLongLedger({ pool }: TestService, businessId: string): Promise<void> {
  await pool.query(
    `insert into credit_ledger (business_id, id, kind, amount, note, at)
     select $1, 'm' || lpad(n::text, 23, '0'), 'grant', 1, repeat('x', $2), now() from generate_series(1, $3) n`,
    [businessId, NOTE_CHARACTERS, ENTRIES],
  );
}
