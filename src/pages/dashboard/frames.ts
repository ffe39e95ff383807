import type { FastifyReply } from 'fastify';
import type { Language } from '../../language/languages.ts';
import { loadAssets } from '../inbox/assets.ts';
import { siteIn } from '../inbox/context.ts';
import { inboxPaths } from '../inbox/paths.ts';
import { inboxPage } from '../inbox/reading/views.tsx';
import { sendHtml } from '../kit/page.tsx';
import { MAIL_HEADERS, openingElsewhere } from '../sandbox/mail.ts';

/*
 * What customers see, in frames of a page for the shop's people. The headers make it inert, also without the frame: nothing in it
 * can be sent or run.
 */

/** Its origin stays, or its style sheets would be refused. */
const INBOX_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-same-origin',
  ].join('; '),
  'x-frame-options': 'SAMEORIGIN',
} as const;

const HEADERS = { mail: MAIL_HEADERS, inbox: INBOX_HEADERS } as const;
export type FramePart = keyof typeof HEADERS;

export const sendFrame = (reply: FastifyReply, part: FramePart, html: string) => ({
  sent: sendHtml(reply.headers(HEADERS[part]), 200, html),
});

/** A mail as a mail program shows it. */
export const sendMailFrame = (reply: FastifyReply, html: string) =>
  sendFrame(reply, 'mail', openingElsewhere(html));

type ShownInbox = Omit<Parameters<typeof inboxPage>[0], 'site' | 'seen' | 'isPreview'> & {
  session: { language: Language };
};

/** The inbox with its own styles. */
export function inboxRenderer(publicUrl: string) {
  const place = { paths: inboxPaths(publicUrl), assets: loadAssets() };
  return (shown: ShownInbox): string =>
    inboxPage({ site: siteIn({ place }, shown.session.language), seen: '', isPreview: true, ...shown });
}

export function inboxFrames(publicUrl: string) {
  const render = inboxRenderer(publicUrl);
  return (reply: FastifyReply, shown: ShownInbox) => sendFrame(reply, 'inbox', render(shown));
}
