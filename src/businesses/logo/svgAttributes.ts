import { LogoRefused } from './refusal.ts';

/** What an attribute's value may look like. None can hold a quote, an angle bracket or an ampersand. */
const NUMBERS = /^[-+.\deE,\s]{1,400}$/;
const LENGTH = /^[-+.\deE]{1,40}(?:px|pt|pc|mm|cm|in|em|ex|%)?$/;
const PATH = /^[MmZzLlHhVvCcSsQqTtAa\deE.,+\-\s]*$/;
const WORD = /^[A-Za-z][A-Za-z -]{0,39}$/;
const ID = /^[A-Za-z_][\w.-]{0,99}$/;
const LOCAL = /^#[A-Za-z_][\w.-]{0,99}$/;
const LOCAL_URL = /^url\(#[A-Za-z_][\w.-]{0,99}\)$/;
const COLOUR = /^(?:#[\da-fA-F]{3,8}|[A-Za-z]{3,30}|(?:rgb|hsl)a?\([\d.,%\s/]{1,60}\))$/;
const TRANSFORM =
  /^(?:(?:matrix|translate|scale|rotate|skewX|skewY)\s?\([-+.\deE,\s]{1,200}\)[\s,]{0,5}){1,20}$/;

type Check = (value: string) => boolean;
const like =
  (...patterns: readonly RegExp[]): Check =>
  (value) =>
    patterns.some((pattern) => pattern.test(value));

const lengthOrWord = like(LENGTH, WORD);
const paint = like(COLOUR, LOCAL_URL);

/** These may also stand in a `style` attribute. */
const STYLED: Readonly<Record<string, Check>> = {
  fill: paint,
  stroke: paint,
  color: like(COLOUR),
  'stop-color': like(COLOUR),
  opacity: like(LENGTH),
  'fill-opacity': like(LENGTH),
  'stroke-opacity': like(LENGTH),
  'stop-opacity': like(LENGTH),
  'stroke-width': like(LENGTH),
  'stroke-miterlimit': like(LENGTH),
  'stroke-dasharray': like(NUMBERS, WORD),
  'stroke-dashoffset': like(LENGTH),
  'stroke-linecap': like(WORD),
  'stroke-linejoin': like(WORD),
  'fill-rule': like(WORD),
  'clip-rule': like(WORD),
  'clip-path': like(LOCAL_URL, /^none$/),
  display: like(WORD),
  visibility: like(WORD),
  'paint-order': like(WORD),
  'vector-effect': like(WORD),
};

const ATTRIBUTES: Readonly<Record<string, Check>> = {
  ...STYLED,
  id: like(ID),
  d: like(PATH),
  points: like(/^[-+.\deE,\s]*$/),
  transform: like(TRANSFORM),
  gradientTransform: like(TRANSFORM),
  gradientUnits: like(WORD),
  clipPathUnits: like(WORD),
  spreadMethod: like(WORD),
  href: like(LOCAL),
  ...Object.fromEntries(
    ['x', 'y', 'width', 'height', 'cx', 'cy', 'r', 'rx', 'ry', 'x1', 'y1', 'x2', 'y2', 'fx', 'fy', 'fr'].map(
      (name) => [name, lengthOrWord],
    ),
  ),
  offset: like(LENGTH),
};

/** The attributes of an element that a picture needs, with their values; others are left out. */
export function keptAttributes(given: Readonly<Record<string, string>>): Map<string, string> {
  const kept = new Map<string, string>();
  for (const [name, value] of Object.entries(given)) {
    if (/^on/i.test(name)) throw new LogoRefused(`The SVG has a script (${shortly(name)}). Save it without.`);
    keep(kept, ATTRIBUTES, name === 'xlink:href' ? 'href' : name, value);
  }
  for (const declaration of (given.style ?? '').split(';')) {
    const [name = '', ...rest] = declaration.split(':');
    keep(kept, STYLED, name.trim(), rest.join(':'));
  }
  return kept;
}

function keep(
  kept: Map<string, string>,
  checks: Readonly<Record<string, Check>>,
  name: string,
  text: string,
): void {
  const value = text.trim();
  const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
  if (check === undefined) return;
  if (check(value)) kept.set(name, value);
  else if (/url|script|data:|\/\/|href/i.test(`${name} ${value}`))
    throw new LogoRefused(`The SVG loads something from elsewhere (${shortly(name)}). Save it without.`);
}

const NAME_SHOWN = 30;
export const shortly = (name: string): string => name.slice(0, NAME_SHOWN);
