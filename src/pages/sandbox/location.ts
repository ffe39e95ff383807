import type { FastifyReply } from 'fastify';
import { type Channel, channels } from '../../contract/channels.ts';
import type { Flashes } from '../kit/flash.ts';
import type { Site } from '../kit/page.tsx';
import { queryOf, withQuery } from '../kit/request.ts';

/** The state of the sandbox's page, all of it in the URL: the filter of the list, and the open message. */
export interface SandboxLocation {
  /** Null: the newest one. */
  open: string | null;
  channel: Channel | null;
  /** Part of an address or number. */
  to: string;
  /** Only messages older than this. */
  before: string | null;
}

const LONGEST = 200;

export function sandboxLocationOf(url: string): SandboxLocation {
  const query = queryOf({ url });
  const text = (name: string) => (query[name] ?? '').replaceAll('\0', '').slice(0, LONGEST);
  return {
    open: text('open') || null,
    channel: channels.find((channel) => channel === query.channel) ?? null,
    to: text('to').trim(),
    before: text('before') || null,
  };
}

export const addressInSandbox = (
  site: Site,
  path: string,
  place: SandboxLocation,
  more: Record<string, string> = {},
): string => withQuery(site.to(path), { ...place, ...more });

/** What a form just did, shown on the page. */
export const SANDBOX_FLASHES = {
  texted: ['good', 'The SMS was received.'],
  replied: ['good', 'The reply was received.'],
  reported: ['good', 'The provider’s report was recorded.'],
  unknown: ['waiting', 'The provider knows no such message: it may have been erased.'],
  opened: ['good', 'The message was opened.'],
  business_created: ['good', 'The business was created.'],
  advanced: ['good', 'The clock was moved, and what was due has run.'],
  pushed: ['good', 'Pushed. It appears below in a moment.'],
  told: ['good', 'The carrier’s report was stored, and this message tells it.'],
  told_in_inbox: [
    'waiting',
    'The carrier’s report was stored. A message in the inbox tells it; nothing was sent.',
  ],
  not_first: [
    'waiting',
    'The report was stored. Nobody is told: the carrier had reported this status before.',
  ],
  not_chosen: [
    'waiting',
    'The report was stored. Nobody is told: this status is not among the shop’s tracking nudges.',
  ],
  told_by_hand: [
    'waiting',
    'The report was stored. Nobody is told: a push told it within the last 12 hours.',
  ],
} as const satisfies Flashes;

export type SandboxFlash = keyof typeof SANDBOX_FLASHES;

/** Redirects a form back to a place of the page, which shows what was done; reloading it does not repeat it. */
export const redirectAfter = (reply: FastifyReply, site: Site, place: SandboxLocation, flash: SandboxFlash) =>
  reply.redirect(addressInSandbox(site, '/sandbox', place, { flash }), 303);
