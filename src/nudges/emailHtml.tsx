import type { SurfaceTones } from '../kit/colour.ts';
import type { Html } from '../kit/jsxRuntime.ts';
import type { Language } from '../language/languages.ts';
import { type Words, wordsIn } from '../language/words.ts';
import type { Progress } from '../orders/progress.ts';
import { compiledTemplate } from './compiledTemplate.ts';
import { BREAKS, FONT, SMALL, Table } from './emailParts.tsx';
import { ProgressBar } from './emailProgress.tsx';

/** What differs between two mails in one language; texts are not escaped. `logoUrl` is empty if there is no logo. */
export interface MailValues extends SurfaceTones {
  business: string;
  subject: string;
  link: string;
  unsubscribeLink: string;
  logoUrl: string;
  /** Elements, or nothing: what happened, the order's parcels, the first lines of the message, and the order as data. */
  heading: Html | '';
  parcels: Html | '';
  excerpt: Html | '';
  orderData: Html | '';
}

/** For clients that support dark mode or narrow screens; the others show the inline styles. */
const STYLES = `
:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (max-width:480px){
.around{padding:12px 8px!important}
.card{padding:20px 18px!important}
.parcel{padding:12px 16px 0!important}
.foot{padding:18px!important}
}
@media (prefers-color-scheme:dark){
.page{background-color:#14171c!important}
.card{background-color:#1f242c!important;border-color:#343b46!important}
.strong{color:#f3f5f8!important}
.plain{color:#d3d9e2!important}
.faint,.faint a{color:#a3adbb!important}
.parcel{background-color:#2a303a!important}
.ahead{background-color:#3d4551!important}
.second{border-color:#7d8796!important}
.second a{color:#f3f5f8!important}
}`;

const VALUES = [
  ...(['business', 'subject', 'link', 'unsubscribeLink', 'logoUrl', 'fill', 'onFill', 'edge'] as const),
  ...(['heading', 'parcels', 'excerpt', 'orderData'] as const),
];

type Value = (name: keyof MailValues) => string;

/** Uses tables and inline styles, since Outlook supports little else. At most 600 px wide. */
const mailTemplate = (words: Words, hasLogo: boolean, progress: Progress | null) =>
  compiledTemplate(VALUES, (value) => {
    const page = (
      <html lang={words.language} dir="ltr">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width,initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <meta name="supported-color-schemes" content="light dark" />
          <meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no" />
          <title>{value('subject')}</title>
          <style>{STYLES}</style>
          {value('orderData')}
        </head>
        <body class="page" style="margin:0;padding:0;background-color:#f2f4f7;-webkit-text-size-adjust:100%">
          <Table class="page" width="100%" bgcolor="#f2f4f7">
            <tr>
              <td class="around" align="center" style="padding:24px 12px">
                <Table width="600" style="width:100%;max-width:600px">
                  <tr>
                    <td
                      class="card"
                      style="padding:32px;background-color:#ffffff;border:1px solid #dfe3e8;border-radius:12px"
                    >
                      {hasLogo && <Logo url={value('logoUrl')} />}
                      <Card words={words} value={value} progress={progress} />
                    </td>
                  </tr>
                  <tr>
                    <td class="faint foot" style={`padding:20px 32px;${SMALL};${BREAKS}`}>
                      <span>{words.fill('email.why', { business: value('business') })}</span>
                      <br />
                      <a href={value('unsubscribeLink')} style="color:#5a6473">
                        {words.fill('email.unsubscribe', { business: value('business') })}
                      </a>
                    </td>
                  </tr>
                </Table>
              </td>
            </tr>
          </Table>
        </body>
      </html>
    );
    return `<!doctype html>${page}`;
  });

interface CardProps {
  words: Words;
  value: Value;
  progress: Progress | null;
}

function Card({ words, value, progress }: CardProps): JSX.Element {
  return (
    <>
      <p class="faint" dir="auto" style={`margin:0 0 12px;${FONT};font-size:15px;color:#5a6473;${BREAKS}`}>
        {value('business')}
      </p>
      {value('heading')}
      {progress !== null && <ProgressBar words={words} progress={progress} fill={value('fill')} />}
      {value('parcels')}
      {value('excerpt')}
      <Button label={words.text('email.read')} value={value} />
      <p class="faint" style={`margin:24px 0 0;${SMALL}`}>
        <span>{`${words.text('email.personal')} ${words.text('email.noButton')}`}</span>
        <br />
        <a href={value('link')} style={`color:#5a6473;${BREAKS}`}>
          {value('link')}
        </a>
      </p>
    </>
  );
}

export const headingHtml = (text: string): Html => (
  <h1
    class="strong"
    dir="auto"
    style={`margin:0 0 16px;${FONT};font-size:22px;line-height:1.3;color:#14171c;${BREAKS}`}
  >
    {text}
  </h1>
);

/** What the shop wrote, with its own lines. */
export const excerptHtml = (lines: readonly string[]): Html => (
  <p
    class="plain"
    dir="auto"
    style={`margin:0 0 24px;${FONT};font-size:16px;line-height:1.5;color:#333b47;${BREAKS}`}
  >
    {lines.map((line, at) => (
      <>
        {at > 0 && <br />}
        {line}
      </>
    ))}
  </p>
);

export const emailHtml = (language: Language, values: MailValues, progress: Progress | null): string =>
  htmlTemplate(language, values.logoUrl !== '', progress)(values);

/** Compiled when first needed, per language and progress, with and without a logo. An order's progress takes a few dozen forms. */
const htmlTemplates = new Map<string, ReturnType<typeof mailTemplate>>();

function htmlTemplate(
  language: Language,
  hasLogo: boolean,
  progress: Progress | null,
): ReturnType<typeof mailTemplate> {
  const key = JSON.stringify([language, hasLogo, progress]);
  const before = htmlTemplates.get(key);
  if (before !== undefined) return before;
  const compiled = mailTemplate(wordsIn(language), hasLogo, progress);
  htmlTemplates.set(key, compiled);
  return compiled;
}

/** The name stands below it, since many programs load images only when they are asked to. */
function Logo({ url }: { url: string }): JSX.Element {
  return (
    <img
      src={url}
      alt=""
      height="40"
      style="display:block;width:auto;max-width:200px;height:40px;margin:0 0 12px;border:0"
    />
  );
}

/** The table cell has the colour and the link the padding; Outlook ignores that and uses `mso-padding-alt`. */
function Button({ label, value }: { label: string; value: Value }): JSX.Element {
  return (
    <Table>
      <tr>
        <td
          class="button"
          align="center"
          style={`border:1px solid ${value('edge')};border-radius:8px;background-color:${value('fill')};mso-padding-alt:14px 28px`}
        >
          <a
            href={value('link')}
            style={`display:inline-block;padding:14px 28px;${FONT};font-size:16px;font-weight:600;line-height:1.25;color:${value('onFill')};text-decoration:none`}
          >
            {label}
          </a>
        </td>
      </tr>
    </Table>
  );
}
