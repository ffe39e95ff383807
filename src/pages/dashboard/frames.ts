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

/** A mail as a mail program shows it. */
export const sendMailFrame = (reply: FastifyReply, html: string) => ({
  sent: sendHtml(reply.headers(MAIL_HEADERS), 200, openingElsewhere(html)),
});

type ShownInbox = Omit<Parameters<typeof inboxPage>[0], 'site' | 'seen' | 'isPreview'> & {
  session: { language: Language };
};

/** The inbox with its own styles. */
export function inboxFrames(publicUrl: string) {
  const place = { paths: inboxPaths(publicUrl), assets: loadAssets() };
  return (reply: FastifyReply, shown: ShownInbox) => {
    const site = siteIn({ place }, shown.session.language);
    const page = inboxPage({ site, seen: '', isPreview: true, ...shown });
    return { sent: sendHtml(reply.headers(INBOX_HEADERS), 200, page) };
  };
}
