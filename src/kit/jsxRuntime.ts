/**
 * What JSX compiles to (`#html/jsx-runtime`): strings of markup, without waiting for anything. Every text is escaped, as a
 * child and as an attribute. Only this file makes `Html`, so no view can write a text as markup.
 */

class Html {
  readonly #markup: string;

  constructor(markup: string) {
    this.#markup = markup;
  }

  toString(): string {
    return this.#markup;
  }
}

export type { Html };

/** What can stand in an element. Null, undefined and booleans show nothing, so that a view can say `isNew && <Badge />`. */
export type Children = Html | string | number | boolean | null | undefined | readonly Children[];

type AttributeValue = string | number | boolean | undefined;
type ClassNames = readonly (string | false | undefined)[];

interface Props {
  readonly children?: Children;
  readonly [name: string]: unknown;
}

export function jsx(tag: string | ((props: Props) => Children), props: Props): Html {
  if (typeof tag === 'function') return asHtml(tag(props));
  let opening = `<${tag}`;
  for (const name of Object.keys(props)) {
    if (name !== 'children') opening += attribute(name, props[name]);
  }
  if (VOID_TAGS.has(tag)) return new Html(`${opening}/>`);
  return new Html(`${opening}>${markupOf(props.children)}</${tag}>`);
}

export const jsxs = jsx;

export const Fragment = ({ children }: { children?: Children }): Html => asHtml(children);

/**
 * Data for programs that read the page. What stands in a script is not read as markup, so it cannot be escaped as such: without
 * these characters it cannot end the element, begin a comment, or break a line of JavaScript.
 */
export const jsonLd = (data: unknown): Html =>
  new Html(
    `<script type="application/ld+json">${JSON.stringify(data).replace(
      /[<>&\u2028\u2029]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )}</script>`,
  );

/** Elements without an end, as HTML lists them. */
const VOID_TAGS: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta source track wbr'.split(' '),
);

const asHtml = (content: Children): Html => (content instanceof Html ? content : new Html(markupOf(content)));

function markupOf(content: Children): string {
  if (typeof content === 'string') return escapeHtml(content);
  if (content instanceof Html) return content.toString();
  if (typeof content === 'number') return String(content);
  if (content === undefined || content === null || typeof content === 'boolean') return '';
  let markup = '';
  for (const part of content) markup += markupOf(part);
  return markup;
}

const ATTRIBUTE_NAME = /^[a-zA-Z][\w:-]*$/;

function attribute(name: string, value: unknown): string {
  if (!ATTRIBUTE_NAME.test(name)) throw new TypeError(`${JSON.stringify(name)} names no attribute`);
  if (value === undefined || value === false) return '';
  if (value === true) return ` ${name}`;
  if (typeof value === 'string') return ` ${name}="${escapeAttribute(value)}"`;
  if (typeof value === 'number') return ` ${name}="${value}"`;
  if (Array.isArray(value)) return attribute(name, value.filter(Boolean).join(' '));
  throw new TypeError(`the attribute ${name} has no text`);
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&#34;', "'": '&#39;' };
const entity = (character: string): string => ENTITIES[character] ?? character;

/** For text between tags and for an attribute in quotes of either kind. */
export const escapeHtml = (text: string): string =>
  /[&<"']/.test(text) ? text.replace(/[&<"']/g, entity) : text;

/** Attributes stand in double quotes, so single ones stay: the styles of mails have many. */
const escapeAttribute = (text: string): string =>
  /[&<"]/.test(text) ? text.replace(/[&<"]/g, entity) : text;

// The types of JSX: the elements and attributes that our pages and mails use.

type Tag =
  | ('html' | 'head' | 'title' | 'meta' | 'link' | 'script' | 'style' | 'body')
  | ('header' | 'nav' | 'main' | 'section' | 'article' | 'footer' | 'search' | 'div' | 'span')
  | ('h1' | 'h2' | 'h3' | 'h4' | 'p' | 'pre' | 'blockquote' | 'br' | 'hr')
  | ('ul' | 'ol' | 'li' | 'dl' | 'dt' | 'dd' | 'details' | 'summary' | 'figure' | 'figcaption')
  | ('a' | 'b' | 'bdi' | 'code' | 'mark' | 'small' | 'strong' | 'time' | 'img' | 'iframe')
  | ('svg' | 'g' | 'path' | 'rect' | 'line' | 'circle' | 'text')
  | ('table' | 'caption' | 'thead' | 'tbody' | 'tr' | 'th' | 'td')
  | (
      | 'form'
      | 'fieldset'
      | 'legend'
      | 'label'
      | 'input'
      | 'select'
      | 'option'
      | 'datalist'
      | 'textarea'
      | 'button'
    );

type AttributeName =
  | ('id' | 'lang' | 'dir' | 'title' | 'hidden' | 'role' | 'tabindex' | 'style')
  | `${'aria' | 'data' | 'hx'}-${string}`
  | ('charset' | 'content' | 'rel' | 'href' | 'target' | 'src' | 'defer' | 'loading' | 'sandbox' | 'alt')
  | ('width' | 'height' | 'align' | 'bgcolor' | 'border' | 'cellpadding' | 'cellspacing' | 'scope')
  | ('method' | 'action' | 'enctype' | 'formaction' | 'formnovalidate' | 'type' | 'name' | 'value' | 'for')
  | ('placeholder' | 'autocomplete' | 'inputmode' | 'maxlength' | 'rows' | 'accept' | 'required')
  | ('checked' | 'selected' | 'disabled' | 'open' | 'datetime')
  | ('viewBox' | 'preserveAspectRatio' | 'x' | 'y' | 'rx' | 'd' | 'fill' | `stroke${'' | `-${string}`}`)
  | ('x1' | 'x2' | 'y1' | 'y2' | 'cx' | 'cy' | 'r' | 'dy' | 'text-anchor' | 'transform');

type Attributes = { readonly [name in AttributeName]?: AttributeValue } & {
  readonly class?: AttributeValue | ClassNames;
  readonly children?: Children;
};

declare global {
  namespace JSX {
    type Element = Html;
    type ElementType = Tag | ((props: never) => Children);
    type IntrinsicElements = Record<Tag, Attributes>;
    interface ElementChildrenAttribute {
      children: Children;
    }
  }
}
