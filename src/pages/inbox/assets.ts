import { readFileSync } from 'node:fs';
import { brandTones, isColour } from '../../kit/colour.ts';
import { sha256 } from '../../kit/ids.ts';
import { PACKAGE_ROOT } from '../../kit/packageRoot.ts';

interface Asset {
  name: string;
  type: string;
  content: string;
}

/** The static files of the pages. Each name contains the hash of the content, so that it can be cached forever. */
export interface Assets {
  style: string;
  script: string;
  icon: string;
  /** The name of the style sheet with a business's colour: the content security policy allows no inline styles. */
  brand(colour: string): string;
  find(name: string): Asset | null;
}

// Read from the source folder also by what is built, which has only code.
const FOLDER = new URL('src/pages/inbox/assets/', PACKAGE_ROOT);
const HASH_CHARACTERS = 10;

export function loadAssets(): Assets {
  const style = fromFile('inbox.css', 'text/css; charset=utf-8');
  const script = fromFile('inbox.js', 'text/javascript; charset=utf-8');
  const icon = fromFile('icon.svg', 'image/svg+xml');
  const files = new Map([style, script, icon].map((asset) => [asset.name, asset]));
  return {
    style: style.name,
    script: script.name,
    icon: icon.name,
    brand: (colour) => brandSheet(colour).name,
    find: (name) => files.get(name) ?? findBrandSheet(name),
  };
}

function fromFile(file: string, type: string): Asset {
  const content = readFileSync(new URL(file, FOLDER), 'utf8');
  const [stem, ending] = file.split('.');
  return { name: `${stem}-${hashOf(content)}.${ending}`, type, content };
}

function brandSheet(colour: string): Asset {
  const rule = (scheme: 'light' | 'dark') => {
    const { ink, fill, onFill } = brandTones(colour, scheme);
    return `:root{--ink:${ink};--fill:${fill};--on-fill:${onFill}}`;
  };
  const content = `${rule('light')}@media (prefers-color-scheme:dark){${rule('dark')}}`;
  return {
    name: `colour-${colour.slice(1)}-${hashOf(content)}.css`,
    type: 'text/css; charset=utf-8',
    content,
  };
}

function findBrandSheet(name: string): Asset | null {
  const colour = `#${/^colour-([0-9a-f]{6})-/.exec(name)?.[1] ?? ''}`;
  if (!isColour(colour)) return null;
  const sheet = brandSheet(colour);
  return sheet.name === name ? sheet : null;
}

const hashOf = (content: string): string => sha256(content).toString('hex').slice(0, HASH_CHARACTERS);
