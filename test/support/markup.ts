/** Everything that our views write for a character; a browser reads each in one way. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&#34;', '"'],
  ['&quot;', '"'],
  ['&#39;', "'"],
]);

const ENTITY = /&(?:amp|lt|gt|quot|#34|#39);/g;
const TAG = /<(?:!doctype html|\/[a-z][a-z0-9]*|[a-z][a-z0-9]*((?: [a-zA-Z][\w:-]*(?:="[^"]*")?)*)\/?)>/g;
const COMMENT = /<!--.*?-->/gs;
const ATTRIBUTE = / ([a-zA-Z][\w:-]*)(?:="([^"]*)")?/g;

export const decoded = (text: string): string =>
  text.replace(ENTITY, (entity) => MEANT.get(entity) ?? entity);

export interface MarkupAttribute {
  name: string;
  value: string;
}

/** The attributes of all elements, as a browser reads them. Only for markup without loose ends. */
export const attributesIn = (html: string): MarkupAttribute[] =>
  [...html.matchAll(TAG)].flatMap(([, attributes = '']) =>
    [...attributes.matchAll(ATTRIBUTE)].map(([, name = '', value = '']) => ({ name, value: decoded(value) })),
  );

/** What a browser could read in another way than it was meant: a `&` or `<` that was not escaped. */
export function looseEnds(html: string): string[] {
  const loose: string[] = [];
  const markup = html.replace(COMMENT, '');
  const texts = markup.replace(TAG, (_tag, attributes: string = '') => {
    loose.push(
      ...strayIn(
        attributes.replace(ATTRIBUTE, (_attribute, _name, value: string = '') => `${value} `),
        /[&<]/g,
      ),
    );
    return ' ';
  });
  return [...loose, ...strayIn(texts, /[&<]/g)];
}

const AROUND = 40;

const strayIn = (text: string, stray: RegExp): string[] => {
  const rest = text.replace(ENTITY, '');
  return [...rest.matchAll(stray)].map(({ index }) =>
    rest.slice(Math.max(0, index - AROUND), index + AROUND),
  );
};
