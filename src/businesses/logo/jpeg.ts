import { checkSides, LogoRefused } from './refusal.ts';

export const isJpeg = (bytes: Buffer): boolean =>
  bytes[0] === 0xff && bytes[1] === START && bytes[2] === 0xff;

const BROKEN = 'This JPEG is damaged, or of a rare kind. Save it again in an image editor.';
const [START, END, SCAN, TABLES, CODES, INTERVAL, ADOBE] = [0xd8, 0xd9, 0xda, 0xdb, 0xc4, 0xdd, 0xee];
/** Baseline, extended and progressive: what browsers and mail programs show. */
const FRAMES: readonly number[] = [0xc0, 0xc1, 0xc2];
const FIRST_RESTART = 0xd0;
const LAST_RESTART = 0xd7;
/** A picture that is drawn in very many passes keeps its reader busy. */
const SCANS_MAX = 64;
const ADOBE_LENGTH = 12;

/**
 * The same picture without anything that is not needed to show it: no camera, place, comment, thumbnail or profile, and
 * nothing behind its end. Its segments are checked and written again; its pixels stay as they are compressed.
 */
export function rewrittenJpeg(bytes: Buffer): Buffer {
  const kept: Buffer[] = [Buffer.from([0xff, START])];
  let [components, scans, at] = [0, 0, 2];
  for (;;) {
    const marker = markerAt(bytes, at);
    at = marker.end;
    if (marker.code === END) break;
    const data = segmentAt(bytes, at);
    at += 2 + data.length;
    if (FRAMES.includes(marker.code)) {
      if (components !== 0) throw new LogoRefused(BROKEN);
      components = checkFrame(data);
      kept.push(segment(marker.code, data));
    } else if (marker.code === TABLES || marker.code === CODES || marker.code === INTERVAL) {
      checkTable(marker.code, data);
      kept.push(segment(marker.code, data));
    } else if (marker.code === SCAN) {
      scans += 1;
      if (components === 0 || scans > SCANS_MAX) throw new LogoRefused(BROKEN);
      checkScan(data, components);
      const end = scanEnd(bytes, at);
      kept.push(segment(SCAN, data), bytes.subarray(at, end));
      at = end;
    } else if (marker.code === ADOBE) kept.push(...adobeColours(data));
    else if (!isDropped(marker.code)) throw new LogoRefused(BROKEN);
  }
  if (scans === 0) throw new LogoRefused(BROKEN);
  return Buffer.concat([...kept, Buffer.from([0xff, END])]);
}

/** Application data and comments. */
const isDropped = (code: number): boolean => (code >= 0xe0 && code <= 0xef) || code === 0xfe;

/** Any number of fill bytes may stand before a marker. */
function markerAt(bytes: Buffer, start: number): { code: number; end: number } {
  let at = start;
  if (bytes[at] !== 0xff) throw new LogoRefused(BROKEN);
  while (bytes[at] === 0xff) at += 1;
  const code = bytes[at];
  if (code === undefined || code === 0) throw new LogoRefused(BROKEN);
  return { code, end: at + 1 };
}

function segmentAt(bytes: Buffer, at: number): Buffer {
  if (at + 2 > bytes.length) throw new LogoRefused(BROKEN);
  const length = bytes.readUInt16BE(at);
  if (length < 2 || at + length > bytes.length) throw new LogoRefused(BROKEN);
  return bytes.subarray(at + 2, at + length);
}

function segment(code: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, code, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}

/** Answers the number of components: 1 is grey, 3 is colour. */
function checkFrame(data: Buffer): number {
  const components = data[5] ?? 0;
  if (data.length !== 6 + 3 * components || data[0] !== 8) throw new LogoRefused(BROKEN);
  if (components === 4)
    throw new LogoRefused('This JPEG has the colours of a printing press (CMYK). Save it as RGB.');
  if (components !== 1 && components !== 3) throw new LogoRefused(BROKEN);
  checkSides(data.readUInt16BE(3), data.readUInt16BE(1));
  return components;
}

function checkScan(data: Buffer, components: number): void {
  const named = data[0] ?? 0;
  if (named < 1 || named > components || data.length !== 4 + 2 * named) throw new LogoRefused(BROKEN);
}

/** Tables have exactly the length that they announce: nothing hides behind them. */
function checkTable(code: number, data: Buffer): void {
  let at = 0;
  if (code === INTERVAL) at = 2;
  else
    while (at < data.length) {
      const head = data[at] ?? 0;
      if (code === TABLES) at += 1 + (head >> 4 === 0 ? 64 : 128);
      else at += 17 + data.subarray(at + 1, at + 17).reduce((sum, count) => sum + count, 0);
    }
  if (at !== data.length) throw new LogoRefused(BROKEN);
}

/** Compressed data goes on until a marker that is neither an escaped byte nor a restart. */
function scanEnd(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(0xff, at)) {
    const next = bytes[at + 1] ?? 0;
    if (next === 0xff) at += 1;
    else if (next === 0 || (next >= FIRST_RESTART && next <= LAST_RESTART)) at += 2;
    else return at;
  }
  throw new LogoRefused(BROKEN);
}

/** Says whether the colours are red, green and blue or brightness and hue; without it some pictures have false colours. */
function adobeColours(data: Buffer): Buffer[] {
  const transform = data[ADOBE_LENGTH - 1];
  if (data.length < ADOBE_LENGTH || !data.subarray(0, 5).equals(Buffer.from('Adobe'))) return [];
  if (transform !== 0 && transform !== 1) return [];
  return [segment(ADOBE, Buffer.from([...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, transform]))];
}
