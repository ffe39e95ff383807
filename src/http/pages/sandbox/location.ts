import type { FastifyReply } from 'fastify';
import { type Channel, channels } from '../../../businesses/channels.ts';
import { parseQuery } from '../../validation/urlText.ts';
import type { Site } from '../shell/page.tsx';

/** Where on the sandbox's page one is: what is listed, and which message is open. All of it stands in the address. */
export interface SandboxLocation {
  /** Null: the newest one, whichever that is by then. */
  open: string | null;
  channel: Channel | null;
  /** A part of an address or number. */
  to: string;
  /** Only what is older than this. */
  before: string | null;
}

export const START: SandboxLocation = { open: null, channel: null, to: '', before: null };

const LONGEST = 200;

export function sandboxLocationOf(url: string): SandboxLocation {
  const query = parseQuery(url.split('?').slice(1).join('?'));
  const text = (name: string) => (query[name] ?? '').replaceAll('\0', '').slice(0, LONGEST);
  return {
    open: text('open') || null,
    channel: channels.find((channel) => channel === query.channel) ?? null,
    to: text('to').trim(),
    before: text('before') || null,
  };
}

export function addressOf(
  site: Site,
  path: string,
  place: SandboxLocation,
  more: Record<string, string> = {},
): string {
  const { open, channel, to, before } = place;
  const query = new URLSearchParams({
    ...(open !== null && { open }),
    ...(channel !== null && { channel }),
    ...(to !== '' && { to }),
    ...(before !== null && { before }),
    ...more,
  }).toString();
  return `${site.to(path)}${query === '' ? '' : `?${query}`}`;
}

/** What was just done, for the page to say. */
export const flashes = {
  texted: 'The text was received.',
  replied: 'The reply was received.',
  reported: 'The provider’s report was heard.',
  unknown: 'The provider knows no such message: it may have been erased.',
  advanced: 'The clock was moved, and what was due has run.',
  pushed: 'Pushed. It appears below in a moment.',
} as const;

export type Flash = keyof typeof flashes;

export function flashOf(url: string): Flash | null {
  const { did } = parseQuery(url.split('?').slice(1).join('?'));
  return did !== undefined && isFlash(did) ? did : null;
}

const isFlash = (name: string): name is Flash => Object.hasOwn(flashes, name);

/** A form leads back to the page, where it was, which says what was done; reloading it does nothing again. */
export const redirectAfter = (reply: FastifyReply, site: Site, url: string, did: Flash): FastifyReply =>
  reply.redirect(addressOf(site, '/sandbox', sandboxLocationOf(url), { did }), 303);
