import { DEFAULT_COLOUR, isColour } from '../../kit/colour.ts';
import type { Children } from '../../kit/jsxRuntime.ts';
import type { Words } from '../../language/words.ts';
import type { Assets } from './assets.ts';
import type { Paths } from './paths.ts';

/** The business, as its customers know it. */
export interface Brand {
  name: string;
  colour: string | null;
  /** Where its logo is, below `/logos/`. */
  logo: string | null;
  /** Where customers write to, and the website; null: the shop names none. */
  supportEmail: string | null;
  shopUrl: string | null;
}

/** Where things are. */
export interface InboxPlace {
  paths: Paths;
  assets: Assets;
}

/** The same, with the words in the reader's language. */
export interface InboxSite extends InboxPlace {
  words: Words;
  /** Nobody chose the language: dates stay in the browser's own, as everywhere else on the web. */
  areDatesOfBrowser?: boolean;
}

interface LayoutProps {
  site: InboxSite;
  /** Null on a page that must not reveal it. */
  brand: Brand | null;
  title: string;
  /** A picture of the page, without its script. */
  isPreview?: boolean;
  children: JSX.Element;
}

/** The whole document, without inline code and without external resources. */
export function layout({ site, brand, title, isPreview = false, children }: LayoutProps): string {
  const { assets, paths, words } = site;
  const colour = brand?.colour && isColour(brand.colour) ? brand.colour : DEFAULT_COLOUR;
  const page = (
    <html lang={words.language} data-dates={site.areDatesOfBrowser ? 'browser' : undefined}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="format-detection" content="telephone=no, date=no, address=no, email=no" />
        <title>{brand ? `${title} · ${brand.name}` : title}</title>
        <link rel="stylesheet" href={paths.asset(assets.style)} />
        <link rel="stylesheet" href={paths.asset(assets.brand(colour))} />
        <link rel="icon" type="image/svg+xml" href={paths.asset(assets.icon)} />
        {!isPreview && <script src={paths.asset(assets.script)} defer />}
      </head>
      <body>{children}</body>
    </html>
  );
  return `<!doctype html>${page}`;
}

interface SignProps {
  site: InboxSite;
  brand: Brand;
  large?: boolean;
}

/** The business's logo, or the first letter of its name on its colour. The name stands beside it. */
export function Sign({ site, brand, large }: SignProps) {
  if (brand.logo !== null)
    return <img class={['logo', large && 'logo-large']} src={site.paths.logo(brand.logo)} alt="" />;
  return (
    <span class={['sign', large && 'sign-large']} aria-hidden="true">
      {firstLetter(brand.name)}
    </span>
  );
}

/** A link out of the inbox. A website opens beside it; what the phone's own programs take does not. */
export const OuterLink = ({ href, text }: { href: string; text: string }) => (
  <a
    href={href}
    rel="noopener noreferrer nofollow"
    target={href.startsWith('http') ? '_blank' : undefined}
    dir="ltr"
  >
    {text}
  </a>
);

/** A page with one message, in the middle of the screen. */
export const inboxNotice = (site: InboxSite, brand: Brand | null, title: string, content: Children): string =>
  layout({
    site,
    brand,
    title,
    children: (
      <main class="notice">
        {brand ? (
          <Sign site={site} brand={brand} large />
        ) : (
          <img src={site.paths.asset(site.assets.icon)} alt="" width="64" height="64" />
        )}
        <h1 dir="auto">{title}</h1>
        {content}
      </main>
    ),
  });

/** The first grapheme, so that an accent or an emoji stays whole. */
function firstLetter(name: string): string {
  const [first] = new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(name.trim());
  return (first?.segment ?? '').toLocaleUpperCase('en');
}
