import { promisify } from 'node:util';
import { crc32, deflate, inflate } from 'node:zlib';
import { checkSides, LogoRefused } from './refusal.ts';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
export const isPng = (bytes: Buffer): boolean => bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE);

const BROKEN = 'This PNG is damaged. Save it again in an image editor.';
const CHUNK_FRAME = 12;
const PALETTE_MAX = 3 * 256;

/** Bit depths by colour type, and samples per pixel. */
const KINDS: Readonly<Record<number, { depths: readonly number[]; samples: number }>> = {
  0: { depths: [1, 2, 4, 8, 16], samples: 1 },
  2: { depths: [8, 16], samples: 3 },
  3: { depths: [1, 2, 4, 8], samples: 1 },
  4: { depths: [8, 16], samples: 2 },
  6: { depths: [8, 16], samples: 4 },
};

/**
 * The same pictures, written anew: header, palette, transparency and pixels, compressed again. Everything else that the file
 * held is gone: texts, places, profiles, animations, and what stands behind its end or hides in its compressed data.
 */
export async function rewrittenPng(bytes: Buffer): Promise<Buffer> {
  const { header, palette, transparency, data } = partsOf(bytes);
  const rows = rowLengths(header);
  const size = rows.reduce((sum, { count, length }) => sum + count * length, 0);
  const pixels = await inflated(data, size);
  checkFilters(pixels, rows);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header.bytes),
    ...(palette === null ? [] : [chunk('PLTE', palette)]),
    ...(transparency === null ? [] : [chunk('tRNS', transparency)]),
    chunk('IDAT', await promisify(deflate)(pixels, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

interface PngHeader {
  bytes: Buffer;
  width: number;
  height: number;
  bitsPerPixel: number;
  colourType: number;
  interlaced: boolean;
}

interface PngParts {
  header: PngHeader;
  palette: Buffer | null;
  transparency: Buffer | null;
  data: Buffer;
}

function partsOf(bytes: Buffer): PngParts {
  const [first, ...rest] = chunksOf(bytes);
  if (first?.type !== 'IHDR') throw new LogoRefused(BROKEN);
  const header = headerOf(first.data);
  const only = (type: string): Buffer | null => {
    const found = rest.filter((one) => one.type === type);
    if (found.length > 1) throw new LogoRefused(BROKEN);
    return found[0]?.data ?? null;
  };
  const palette = header.colourType === 3 || header.colourType === 2 ? only('PLTE') : null;
  if (palette === null ? header.colourType === 3 : palette.length % 3 !== 0 || palette.length > PALETTE_MAX)
    throw new LogoRefused(BROKEN);
  const transparency = header.colourType < 4 ? only('tRNS') : null;
  if (transparency !== null && transparency.length > transparencyMax(header.colourType, palette))
    throw new LogoRefused(BROKEN);
  const data = Buffer.concat(rest.filter(({ type }) => type === 'IDAT').map((one) => one.data));
  return { header, palette, transparency, data };
}

const transparencyMax = (colourType: number, palette: Buffer | null): number =>
  colourType === 0 ? 2 : colourType === 2 ? 6 : (palette?.length ?? 0) / 3;

/** Up to IEND; a chunk whose checksum is wrong refuses the file. */
function chunksOf(bytes: Buffer): { type: string; data: Buffer }[] {
  const chunks: { type: string; data: Buffer }[] = [];
  for (let at = SIGNATURE.length; at + CHUNK_FRAME <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const end = at + CHUNK_FRAME + length;
    if (end > bytes.length) break;
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) break;
    if (type === 'IEND') return chunks;
    chunks.push({ type, data: bytes.subarray(at + 8, end - 4) });
    at = end;
  }
  throw new LogoRefused(BROKEN);
}

function headerOf(data: Buffer): PngHeader {
  if (data.length !== 13) throw new LogoRefused(BROKEN);
  const [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
  const [depth, colourType, compression, filter, interlace] = data.subarray(8);
  const kind = KINDS[colourType ?? -1];
  if (depth === undefined || colourType === undefined || kind === undefined || !kind.depths.includes(depth))
    throw new LogoRefused(BROKEN);
  if (compression !== 0 || filter !== 0 || (interlace !== 0 && interlace !== 1))
    throw new LogoRefused(BROKEN);
  checkSides(width, height);
  return {
    bytes: Buffer.from(data),
    width,
    height,
    bitsPerPixel: depth * kind.samples,
    colourType,
    interlaced: interlace === 1,
  };
}

interface Rows {
  count: number;
  /** With the byte that names the row's filter. */
  length: number;
}

/** The passes of Adam7: where each begins, and its steps. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

function rowLengths({ width, height, bitsPerPixel, interlaced }: PngHeader): Rows[] {
  const rows = (columns: number, count: number): Rows[] =>
    columns < 1 || count < 1 ? [] : [{ count, length: 1 + Math.ceil((columns * bitsPerPixel) / 8) }];
  if (!interlaced) return rows(width, height);
  return PASSES.flatMap(([x, y, stepX, stepY]) =>
    rows(Math.ceil((width - x) / stepX), Math.ceil((height - y) / stepY)),
  );
}

/** Exactly the bytes that the size asks for: no bomb, and nothing left over. */
async function inflated(data: Buffer, size: number): Promise<Buffer> {
  try {
    const pixels = await promisify(inflate)(data, { maxOutputLength: size });
    if (pixels.length === size) return pixels;
  } catch {
    // Not compressed as PNG asks for, or longer than the picture.
  }
  throw new LogoRefused(BROKEN);
}

const LAST_FILTER = 4;

function checkFilters(pixels: Buffer, passes: readonly Rows[]): void {
  let at = 0;
  for (const { count, length } of passes)
    for (let row = 0; row < count; row += 1, at += length)
      if ((pixels[at] ?? 0) > LAST_FILTER) throw new LogoRefused(BROKEN);
}

function chunk(type: string, data: Buffer): Buffer {
  const written = Buffer.alloc(CHUNK_FRAME + data.length);
  written.writeUInt32BE(data.length, 0);
  written.write(type, 4, 'latin1');
  data.copy(written, 8);
  written.writeUInt32BE(crc32(written.subarray(4, 8 + data.length)), 8 + data.length);
  return written;
}
