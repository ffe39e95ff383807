import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseJsonText } from '../kit/json.ts';
import type { CallbackContent } from '../providers/callbackContent.ts';

/** How the requests of a provider are recognised and read. */
export interface CallbackFormat {
  /** Whether the headers can be the provider's. Checked before a byte of the body is read, because anyone can send one. */
  mayBeGenuine(request: FastifyRequest): boolean;
  /** Null: the provider did not make the request. */
  read(request: FastifyRequest, body: Buffer): CallbackContent | null | Promise<CallbackContent | null>;
  /** How a request is refused that the provider did not make. */
  refusal?: 401;
  /** An empty 200 by default. */
  respond?(reply: FastifyReply): FastifyReply;
}

/** The JSON of a body; undefined if it is no JSON. */
export const jsonIn = (body: Buffer): unknown => parseJsonText(body.toString('utf8'));

/** A header that occurs once; a repeated one proves nothing. */
export function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** The raw query with its question mark: signatures cover the exact text. */
export function searchOf({ originalUrl }: FastifyRequest): string {
  const at = originalUrl.indexOf('?');
  return at === -1 ? '' : originalUrl.slice(at);
}
