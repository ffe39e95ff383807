import { DEFAULT_LANGUAGE, type Language } from '../language/languages.ts';
import { wordsIn } from '../language/words.ts';
import { displayableBusinessName } from './displayable.ts';
import { headerText, type WrittenEmail } from './emailWording.tsx';

/** The automatic answer to a WhatsApp reply. */
export function acknowledgement(businessName: string, language: Language): string {
  const words = wordsIn(language);
  const business = displayableBusinessName(businessName) ?? words.text('email.someShop');
  return words.fill('whatsapp.acknowledgement', { business });
}

interface ForwardedReply {
  businessName: string;
  body: string;
  replyLink: string;
  messageId: string | null;
  orderReference: string | null;
  settings: { replyForward: 'full' | 'link_only' | 'off' };
}

/** Informs the business's contact of a WhatsApp reply, in English like the dashboard; it quotes the reply only if the setting is `full`. */
export function forwardedReply(reply: ForwardedReply): WrittenEmail {
  const about = reply.orderReference === null ? 'an order' : `order ${reply.orderReference}`;
  const subject = headerText(`A reply on WhatsApp about ${about}`);
  const quoted = reply.settings.replyForward === 'full' ? reply.body : null;
  const intro = `Somebody replied on WhatsApp to a message from ${reply.businessName}.`;
  const closing =
    quoted === null ? `Read it here:\n${reply.replyLink}` : 'Replies to this mail do not reach them.';
  const text = [intro, ...(quoted === null ? [] : [quotedText(quoted)]), closing].join('\n\n');
  return {
    subject,
    text: `${text}\n`,
    html: page(subject, intro, quoted, quoted === null ? reply.replyLink : null, 'Read the reply'),
  };
}

/** The mail that a person requests on the page of an expired link. */
export function newLinkMail(businessName: string, link: string, language: Language): WrittenEmail {
  const words = wordsIn(language);
  const subject = headerText(words.fill('newLinkMail.subject', { business: businessName }));
  return linkMail(subject, words.text('newLinkMail.intro'), link, words.text('newLinkMail.open'), language);
}

/** The mail that a member of a shop asks for on the dashboard's sign-in page. */
export const signInMail = (link: string): WrittenEmail =>
  linkMail(
    'Your link to sign in to Waypost',
    'Somebody, probably you, asked to sign in to the Waypost dashboard. The link works once, within 15 minutes, and only in the browser where it was asked for. If it was not you, ignore this mail.',
    link,
    'Sign in to Waypost',
  );

const linkMail = (subject: string, intro: string, link: string, label: string, language?: Language) => ({
  subject,
  text: `${intro}\n\n${link}\n`,
  html: page(subject, intro, null, link, label, language),
});

const quotedText = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => `> ${line}`)
    .join('\n');

const FONT =
  "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:1.5";

/** Deliberately plain, so that it is legible in every client and colour scheme. */
function page(
  title: string,
  intro: string,
  quoted: string | null,
  link: string | null,
  label: string,
  language: Language = DEFAULT_LANGUAGE,
): string {
  const html = (
    <html lang={language} dir="ltr">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
      </head>
      <body style={`margin:24px;${FONT}`}>
        <p>{intro}</p>
        {quoted !== null && (
          <blockquote
            dir="auto"
            style="margin:16px 0;padding-left:16px;border-left:4px solid #8a94a3;white-space:pre-wrap"
          >
            {quoted}
          </blockquote>
        )}
        {link === null ? (
          <p>Replies to this mail do not reach them.</p>
        ) : (
          <p>
            <a href={link}>{label}</a>
          </p>
        )}
      </body>
    </html>
  );
  return `<!doctype html>${html}`;
}
