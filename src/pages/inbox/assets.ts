import { readFileSync } from 'node:fs';
import { brandTones, isColour } from '../../kit/colour.ts';
import { PACKAGE_ROOT } from '../../kit/packageRoot.ts';
import { assetOf } from '../kit/assets.ts';

export type Assets = ReturnType<typeof loadAssets>;

// Read from the source folder also by what is built, which has only code.
const FOLDER = new URL('src/pages/inbox/assets/', PACKAGE_ROOT);

/** The static files of the pages. */
export function loadAssets() {
  const [style, script, icon] = [fromFile('inbox.css'), fromFile('inbox.js'), fromFile('icon.svg')];
  return {
    style: style.name,
    script: script.name,
    icon: icon.name,
    /** The name of the style sheet with a business's colour: the content security policy allows no inline styles. */
    brand: (colour: string) => brandSheet(colour).name,
    find: (name: string) =>
      [style, script, icon].find((asset) => asset.name === name) ?? findBrandSheet(name),
  };
}

const fromFile = (file: string) => assetOf(file, readFileSync(new URL(file, FOLDER), 'utf8'));

function brandSheet(colour: string) {
  const rule = (scheme: 'light' | 'dark') => {
    const { ink, fill, onFill, edge } = brandTones(colour, scheme);
    return `:root{--ink:${ink};--fill:${fill};--on-fill:${onFill};--edge:${edge}}`;
  };
  const content = `${rule('light')}@media (prefers-color-scheme:dark){${rule('dark')}}`;
  return assetOf(`colour-${colour.slice(1)}.css`, content);
}

function findBrandSheet(name: string) {
  const colour = `#${/^colour-([0-9a-f]{6})-/.exec(name)?.[1] ?? ''}`;
  if (!isColour(colour)) return null;
  const sheet = brandSheet(colour);
  return sheet.name === name ? sheet : null;
}
