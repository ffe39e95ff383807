import { type Children, Fragment } from '@kitajs/html';
import { jsx as writeElement, jsxs as writeElements } from '@kitajs/html/jsx-runtime';

/**
 * The JSX runtime (`#html/jsx-runtime`). @kitajs/html escapes only quotes in attributes, so a browser would read
 * `&commat;` in a link as an @; this runtime escapes every attribute of every view.
 */
export { Fragment };

interface Attributes {
  children?: Children;
  [name: string]: unknown;
}

export const jsx = (name: string | Component, attributes: Attributes): JSX.Element =>
  typeof name === 'function' ? name(attributes) : writeElement(name, escaped(attributes));

export const jsxs = (
  name: string | Component,
  attributes: Attributes & { children: Children[] },
): JSX.Element =>
  typeof name === 'function'
    ? name(attributes)
    : writeElements(name, { ...escaped(attributes), children: attributes.children });

type Component = (attributes: Attributes) => JSX.Element;

/** @kitajs/html writes these unescaped; no element of ours needs one. */
const RAW_ATTRIBUTES = ['attrs', 'of'];
const ATTRIBUTE_NAME = /^[a-zA-Z][\w:-]*$/;

function escaped({ children, ...attributes }: Attributes): Attributes {
  const result: Attributes = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (RAW_ATTRIBUTES.includes(name) || !ATTRIBUTE_NAME.test(name))
      throw new TypeError(`the attribute ${JSON.stringify(name)} cannot be escaped`);
    result[name] = escapedValue(value);
  }
  if (children !== undefined) result.children = children;
  return result;
}

/** @kitajs/html escapes the quotes. */
function escapedValue(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  if (Array.isArray(value)) return value.map(escapedValue);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, escapedValue(inner)]));
}
