/**
 * Headers that show a captured mail as a client would, with its own styles, but inert: no origin, no script, no
 * loading and no sending; its links open in a new tab.
 */
export const MAIL_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-popups allow-popups-to-escape-sandbox',
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'SAMEORIGIN',
  'cross-origin-resource-policy': 'same-origin',
} as const;

const DOCTYPE = /^\s*<!doctype[^>]*>/i;

/** Within the frame a link would open in the frame, where the inbox refuses to be shown. */
export function openingElsewhere(html: string): string {
  const doctype = DOCTYPE.exec(html)?.[0] ?? '';
  // The parser puts this into the head, and continues with the mail's own content.
  return `${doctype}<base target="_blank">${html.slice(doctype.length)}`;
}
