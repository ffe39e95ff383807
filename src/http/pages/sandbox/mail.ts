/**
 * A captured mail is shown as a client would: with its own styles, and unable to do anything. It has no origin of its
 * own, runs no script, loads nothing and sends nothing; its links open elsewhere.
 */
export const MAIL_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    'img-src data:',
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

/** Within a frame a link would open in the frame, where no inbox lets itself be shown. */
export function openingElsewhere(html: string): string {
  const doctype = DOCTYPE.exec(html)?.[0] ?? '';
  // A parser puts this into the head that it then begins, and goes on with the mail's own.
  return `${doctype}<base target="_blank">${html.slice(doctype.length)}`;
}
