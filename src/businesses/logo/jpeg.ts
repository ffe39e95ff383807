import { checkSides, LogoRefused } from './refusal.ts';

export const isJpeg = (bytes: Buffer) => bytes[0] === 0xff && bytes[1] === START && bytes[2] === 0xff;

const damaged = (): LogoRefused =>
  new LogoRefused('This JPEG is damaged, or of a rare kind. Save it again in an image editor.');
const [START, END, SCAN, TABLES, CODES, INTERVAL, ADOBE] = [0xd8, 0xd9, 0xda, 0xdb, 0xc4, 0xdd, 0xee];
/** Baseline, extended and progressive: what browsers and mail programs show. */
const FRAMES: readonly number[] = [0xc0, 0xc1, 0xc2];
/** Application data and comments. */
const isMetadata = (code: number): boolean => (code >= 0xe0 && code <= 0xef) || code === 0xfe;
/** A picture that is drawn in very many passes keeps its reader busy. */
const SCANS_MAX = 64;

/**
 * The same picture without anything that is not needed to show it: no camera, place, comment, thumbnail or profile, and
 * nothing behind its end. Its segments are checked and written again; its pixels stay as they are compressed.
 */
export function rewrittenJpeg(bytes: Buffer): Buffer {
  const kept: Buffer[] = [Buffer.from([0xff, START])];
  let [components, scans, at] = [0, 0, 2];
  for (;;) {
    const { code, data, end } = segmentAt(bytes, at);
    at = end;
    if (code === END) break;
    if (FRAMES.includes(code)) {
      if (components !== 0) throw damaged();
      components = checkFrame(data);
    } else if (code === TABLES || code === CODES || code === INTERVAL) checkTable(code, data);
    else if (code === SCAN) {
      scans += 1;
      if (scans > SCANS_MAX) throw damaged();
      checkScan(data, components);
      at = scanEnd(bytes, at);
    } else if (!isMetadata(code)) throw damaged();
    if (code === ADOBE) kept.push(...adobeColours(data));
    else if (!isMetadata(code)) kept.push(segment(code, data), bytes.subarray(end, at));
  }
  if (scans === 0) throw damaged();
  return Buffer.concat([...kept, Buffer.from([0xff, END])]);
}

/** Any number of fill bytes may stand before a marker; the last marker has no data. */
function segmentAt(bytes: Buffer, start: number): { code: number; data: Buffer; end: number } {
  let at = start;
  while (bytes[at] === 0xff) at += 1;
  const code = bytes[at];
  if (at === start || code === undefined) throw damaged();
  if (code === END) return { code, data: Buffer.alloc(0), end: at + 1 };
  const length = at + 3 > bytes.length ? 0 : bytes.readUInt16BE(at + 1);
  const end = at + 1 + length;
  if (length < 2 || end > bytes.length) throw damaged();
  return { code, data: bytes.subarray(at + 3, end), end };
}

function segment(code: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, code, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}

/** Returns the number of components: 1 is grey, 3 is colour. */
function checkFrame(data: Buffer): number {
  const components = data[5] ?? 0;
  if (data.length !== 6 + 3 * components || data[0] !== 8) throw damaged();
  if (components === 4)
    throw new LogoRefused('This JPEG has the colours of a printing press (CMYK). Save it as RGB.');
  if (components !== 1 && components !== 3) throw damaged();
  checkSides(data.readUInt16BE(3), data.readUInt16BE(1));
  return components;
}

function checkScan(data: Buffer, components: number): void {
  const named = data[0] ?? 0;
  if (named < 1 || named > components || data.length !== 4 + 2 * named) throw damaged();
}

/** Tables have exactly the length that they announce: nothing hides behind them. */
function checkTable(code: number, data: Buffer): void {
  let at = code === INTERVAL ? 2 : 0;
  while (code !== INTERVAL && at < data.length) {
    if (code === TABLES) at += (data[at] ?? 0) >> 4 === 0 ? 65 : 129;
    else at += 17 + data.subarray(at + 1, at + 17).reduce((sum, count) => sum + count, 0);
  }
  if (at !== data.length) throw damaged();
}

/** Compressed data goes on until a marker that is neither an escaped byte nor a restart (0xd0 to 0xd7). */
function scanEnd(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(0xff, at)) {
    const next = bytes[at + 1] ?? 0;
    if (next === 0xff) at += 1;
    else if (next === 0 || (next >= 0xd0 && next <= 0xd7)) at += 2;
    else return at;
  }
  throw damaged();
}

/** Says whether the colours are red, green and blue or brightness and hue; without it some pictures have false colours. */
function adobeColours(data: Buffer): Buffer[] {
  const transform = data[11];
  if (data.toString('latin1', 0, 5) !== 'Adobe' || (transform !== 0 && transform !== 1)) return [];
  return [segment(ADOBE, Buffer.from([...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, transform]))];
}
