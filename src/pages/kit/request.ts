import type { FastifyRequest } from 'fastify';
import { bodyParser } from '../../api/readBody.ts';
import { parseQuery } from '../../api/validation/urlText.ts';

/** The parameters of a request's address; the last of equal names wins. */
export const queryOf = ({ url }: { url: string }): Record<string, string> =>
  parseQuery(url.split('?').slice(1).join('?'));

/** An address with those of the parameters that are not empty. */
export function withQuery(path: string, parameters: Readonly<Record<string, string | null | undefined>>) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value) query.set(name, value);
  return query.size === 0 ? path : `${path}?${query}`;
}

/** A parameter of the route's path; empty where the route has none of this name. */
export function paramOf({ params }: FastifyRequest, name: string): string {
  if (typeof params !== 'object' || params === null) return '';
  const value: unknown = Object.getOwnPropertyDescriptor(params, name)?.value;
  return typeof value === 'string' ? value : '';
}

export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Reads a form of at most so many bytes. */
export const formParser = (max: number) =>
  bodyParser((body) => new URLSearchParams(body.toString('utf8')), max);

export const formOf = (request: FastifyRequest): URLSearchParams =>
  request.body instanceof URLSearchParams ? request.body : new URLSearchParams();

/** A field of a form, without NUL, which Postgres refuses, and no longer than `max`. */
export const textIn = (form: URLSearchParams, field: string, max: number): string =>
  (form.get(field) ?? '').replaceAll('\0', '').slice(0, max).trim();

const ID = /^[0-9a-z]{12,64}$/;

/** An id from a URL; null: it is malformed. */
export const idFrom = (text: string | undefined): string | null =>
  text !== undefined && ID.test(text) ? text : null;

/** What a page that follows its changes has seen: the last event, or the state that it was made of. */
export function lastSeenOf(request: FastifyRequest): string {
  const [lastEvent] = [request.headers['last-event-id']].flat();
  return lastEvent ?? queryOf(request).seen ?? '';
}

export function readCookie(header: string | undefined, name: string): string | null {
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return null;
}

/**
 * Whether a form comes from our own page. Browsers say so in Sec-Fetch-Site. Older ones send only an Origin, which is
 * "null" since our pages send no referrer. A sandboxed frame on another site sends "null" too, so every form also carries
 * the session's form token.
 */
export function isFromOurPages({ headers }: Pick<FastifyRequest, 'headers'>, publicUrl: string): boolean {
  const { origin, host } = headers;
  const [secFetchSite] = [headers['sec-fetch-site']].flat();
  if (secFetchSite !== undefined) return secFetchSite === 'same-origin';
  if (origin === undefined || origin === 'null') return true;
  // A proxy may rewrite the Host header; a page on another site cannot.
  return origin === new URL(publicUrl).origin || hostOf(origin) === host;
}

export const hostOf = (origin: string): string | null => (URL.canParse(origin) ? new URL(origin).host : null);
