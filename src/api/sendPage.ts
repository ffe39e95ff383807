import type { FastifyReply } from 'fastify';

/** No inline script or style, no external resources. */
export const contentPolicy = ({ frames }: { frames: boolean }): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    ...(frames ? ["frame-src 'self'"] : []),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Forms send their origin (`same-origin`), so that the sandbox can recognise its own. */
export const PAGE_HEADERS = {
  'content-security-policy': contentPolicy({ frames: true }),
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** For pages about people: nothing is stored or indexed, and no address tells another site where it came from. */
export const PRIVATE_PAGE_HEADERS = {
  ...PAGE_HEADERS,
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex, nofollow',
} as const;

export const sendPage = (reply: FastifyReply, status: number, page: string): FastifyReply =>
  reply.code(status).headers(PAGE_HEADERS).type('text/html; charset=utf-8').send(page);
