import { parseXml, XmlElement } from '@rgrove/parse-xml';
import { LogoRefused } from './refusal.ts';
import { keptAttributes, shortly } from './svgAttributes.ts';

/** A guess that the parser confirms: text that begins with a tag. */
export const mayBeSvg = (bytes: Buffer): boolean => /^\uFEFF?\s*</.test(bytes.toString('utf8', 0, 64));

const BROKEN = 'This SVG cannot be read. Save it again in a drawing program, or upload a PNG.';
const NAMESPACE = 'http://www.w3.org/2000/svg';

/** Shapes, their groups and their colours. */
const DRAWN: readonly string[] = [
  ...['svg', 'g', 'defs', 'path', 'rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon'],
  ...['linearGradient', 'radialGradient', 'stop', 'clipPath'],
];
/** They say something about the picture, and are no part of it. */
const LEFT_OUT: readonly string[] = ['metadata', 'title', 'desc'];
const DEPTH_MAX = 40;
const ELEMENTS_MAX = 5_000;
/** Tags, attributes and entities. Parsing is not interrupted, so a text of nothing else would hold up every other request. */
const MARKS_MAX = 20_000;
const MARKS: ReadonlySet<number> = new Set(Buffer.from('<=&'));
const TOO_COMPLICATED = 'This SVG is too complicated for a logo. Simplify it, or upload a PNG.';

/**
 * A new SVG with the shapes of the given one. The text is parsed as XML, and only elements and attributes that are known to
 * draw something are written again: no script, style sheet, text, image, link, filter, animation or reuse. What would
 * change the picture refuses it; what programs add beside it is left out.
 */
export function rewrittenSvg(bytes: Buffer): Buffer {
  const root = rootOf(bytes);
  if (root?.name !== 'svg' || root.attributes.xmlns !== NAMESPACE) throw new LogoRefused(BROKEN);
  let elements = 0;

  const written = (element: XmlElement, depth: number, clipped: boolean): string => {
    elements += 1;
    if (depth > DEPTH_MAX || elements > ELEMENTS_MAX) throw new LogoRefused(TOO_COMPLICATED);
    const attributes = keptAttributes(element.attributes);
    // Only gradients continue others; and clips of clips take a browser ever longer.
    if (!element.name.endsWith('Gradient')) attributes.delete('href');
    const inClip = clipped || element.name === 'clipPath';
    if (inClip) attributes.delete('clip-path');
    return tag(element.name, depth === 0 ? rootAttributes(element, attributes) : attributes, [
      ...children(element).map((child) => written(child, depth + 1, inClip)),
    ]);
  };
  return Buffer.from(written(root, 0, false), 'utf8');
}

function rootOf(bytes: Buffer): XmlElement | null {
  let marks = 0;
  for (const byte of bytes) if (MARKS.has(byte)) marks += 1;
  if (marks > MARKS_MAX) throw new LogoRefused(TOO_COMPLICATED);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // As XML has it. The parser copies the rest of the text at every carriage return: minutes for 256 KiB of them.
    return parseXml(text.replace(/\r\n?/g, '\n')).root;
  } catch {
    // Not UTF-8, not well-formed, an entity of its own, or nested beyond what the parser bears.
    throw new LogoRefused(BROKEN);
  }
}

function children(element: XmlElement): XmlElement[] {
  const drawn: XmlElement[] = [];
  for (const child of element.children) {
    if (!(child instanceof XmlElement)) continue;
    // A name with a prefix is a drawing program's own.
    if (child.name.includes(':') || LEFT_OUT.includes(child.name)) continue;
    if (!DRAWN.includes(child.name))
      throw new LogoRefused(
        `The SVG holds “${shortly(child.name)}”. A logo may have shapes, paths and gradients: turn texts and effects into shapes, or upload a PNG.`,
      );
    drawn.push(child);
  }
  return drawn;
}

/** The picture's own size: how large it is shown is not up to it. */
function rootAttributes(root: XmlElement, kept: Map<string, string>): Map<string, string> {
  const box = (root.attributes.viewBox ?? '').trim().split(/[\s,]+/);
  const sides = [root.attributes.width ?? '', root.attributes.height ?? ''].map((side) =>
    side.replace(/px$/, ''),
  );
  const [x, y, width, height] = (box.length === 4 ? box : ['0', '0', ...sides]).map(numberOf);
  if (x === undefined || y === undefined || !width || !height || width < 0 || height < 0)
    throw new LogoRefused('The SVG does not say how large it is. Save it with a viewBox, or upload a PNG.');
  for (const name of ['x', 'y', 'width', 'height']) kept.delete(name);
  return new Map([['xmlns', NAMESPACE], ['viewBox', [x, y, width, height].join(' ')], ...kept]);
}

function numberOf(text: string): number | undefined {
  const value = /^[-+]?[\d.]{1,20}(?:[eE][-+]?\d{1,2})?$/.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}

const tag = (name: string, attributes: ReadonlyMap<string, string>, inner: readonly string[]): string => {
  const written = [...attributes].map(([key, value]) => ` ${key}="${value}"`).join('');
  return inner.length === 0 ? `<${name}${written}/>` : `<${name}${written}>${inner.join('')}</${name}>`;
};
