import type { Client } from '../../db/pool.ts';
import type { Queryable } from '../../db/statement.ts';
import { sha256 } from '../../kit/ids.ts';
import { changeSettings } from '../settingsChange.ts';
import { isJpeg, rewrittenJpeg } from './jpeg.ts';
import { deleteLogos, deleteSurplusLogos, findLogo, insertLogo, replaceOtherLogos } from './logosSql.ts';
import { isPng, rewrittenPng } from './png.ts';
import { LogoRefused } from './refusal.ts';

export const LOGO_BYTES_MAX = 256 * 1024;
/** Logos that were replaced and are kept for mails, of one shop. */
const REPLACED_KEPT = 10;

const TYPES = { png: 'image/png', jpg: 'image/jpeg' } as const;

/** A logo that is safe to serve. Its name is the hash of its content and the ending of its type. */
export interface Logo {
  name: string;
  content: Buffer;
}

/** Writes the image anew from what an uploaded one shows. Its content decides what it is, never its name or type. */
export async function logoFrom(bytes: Buffer): Promise<Logo> {
  if (bytes.length === 0) throw new LogoRefused('Choose a file first.');
  if (bytes.length > LOGO_BYTES_MAX)
    throw new LogoRefused('The file is larger than 256 KiB. Make it smaller.');
  if (isPng(bytes)) return named('png', await rewrittenPng(bytes));
  if (isJpeg(bytes)) return named('jpg', rewrittenJpeg(bytes));
  throw new LogoRefused('A logo is a PNG or a JPEG image. Mail programs show no SVG: save a drawing as PNG.');
}

const named = (ending: keyof typeof TYPES, content: Buffer): Logo => ({
  name: `${sha256(content).toString('hex').slice(0, 40)}.${ending}`,
  content,
});

/** Returns whether it is another one than before. Mails that show the one before keep it for a while. */
export async function setLogo(
  tx: Client,
  now: Date,
  businessId: string,
  { name, content }: Logo,
  actor: string,
): Promise<boolean> {
  // Locks the settings, so that of two uploads the second one stays.
  const { changed } = await changeSettings(tx, now, businessId, { logo: name }, actor);
  if (!changed) return false;
  await insertLogo(tx, businessId, name, content, now);
  await replaceOtherLogos(tx, businessId, name, now);
  await deleteSurplusLogos(tx, businessId, REPLACED_KEPT);
  return true;
}

/** Removes the logo and all earlier ones, at once and from mails, too. */
export async function removeLogo(tx: Client, now: Date, businessId: string, actor: string): Promise<boolean> {
  const { changed } = await changeSettings(tx, now, businessId, { logo: null }, actor);
  await deleteLogos(tx, businessId);
  return changed;
}

const NAME = /^[0-9a-f]{40}\.(png|jpg)$/;

/** The content and type of a logo, also of one that was replaced; null: there is none. */
export async function readLogo(db: Queryable, businessId: string, name: string) {
  const [, ending] = NAME.exec(name) ?? [];
  if (ending !== 'png' && ending !== 'jpg') return null;
  const [found] = await findLogo(db, businessId, name);
  return found ? { type: TYPES[ending], content: found.content } : null;
}

export const logoUrlFor = (publicUrl: string, { id, logo }: { id: string; logo: string | null }) =>
  logo === null ? null : publicUrl + logoPath(id, logo);

export const logoPath = (businessId: string, name: string): string => `/logos/${businessId}/${name}`;
