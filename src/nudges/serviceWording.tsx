import { DEFAULT_COLOUR, surfaceTones } from '../kit/colour.ts';
import type { Children } from '../kit/jsxRuntime.ts';
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
export function signInMail(link: string, code: string): WrittenEmail {
  const intro =
    'Somebody, probably you, asked to sign in to the Waypost dashboard. In the browser where you asked, open this link:';
  const hint = 'Do you read this on another device? Then type this code where you asked:';
  const closing =
    'Link and code work once, within 15 minutes. If it was not you, ignore this mail, and tell nobody the code.';
  const subject = 'Your link to sign in to Waypost';
  return {
    subject,
    text: `${[intro, link, hint, code, closing].join('\n\n')}\n`,
    html: page(subject, intro, null, link, 'Sign in to Waypost', DEFAULT_LANGUAGE, [
      <p>{hint}</p>,
      <p style="font-size:28px;font-weight:600;letter-spacing:6px">{code}</p>,
      <p>{closing}</p>,
    ]),
  };
}

/** Tells a new member of a shop where to sign in. Nothing in it signs anybody in. */
export function invitationMail(businessName: string, address: string, link: string): WrittenEmail {
  const business = displayableBusinessName(businessName) ?? 'A shop';
  return linkMail(
    headerText(`${business} invites you to its dashboard`),
    `${business} has added you to its Waypost dashboard. Sign in there with this address, ${address}: you get a mail with a link, and need no password. If you do not know the shop, ignore this mail.`,
    link,
    'Go to the dashboard',
  );
}

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

const { fill, onFill } = surfaceTones(DEFAULT_COLOUR);
const BUTTON = `display:inline-block;padding:12px 24px;border-radius:8px;background-color:${fill};color:${onFill};font-weight:600;text-decoration:none`;

/** Deliberately plain, so that it is legible in every client and colour scheme. */
function page(
  title: string,
  intro: string,
  quoted: string | null,
  link: string | null,
  label: string,
  language: Language = DEFAULT_LANGUAGE,
  below: Children = null,
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
            <a href={link} style={BUTTON}>
              {label}
            </a>
          </p>
        )}
        {below}
      </body>
    </html>
  );
  return `<!doctype html>${html}`;
}
