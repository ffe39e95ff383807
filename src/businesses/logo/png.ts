import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createDeflate, createInflate } from 'node:zlib';
import { checkSides, LogoRefused } from './refusal.ts';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
export const isPng = (bytes: Buffer): boolean => bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE);

const BROKEN = 'This PNG is damaged. Save it again in an image editor.';
const CHUNK_FRAME = 12;
const PALETTE_MAX = 3 * 256;
/** Pixels that were packed by a better program, or with ill will, grow when they are packed again. */
const PACKED_MAX = 512 * 1024;
const PART_BYTES = 64 * 1024;

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
  const pixels = await packedAgain(data, rowLengths(header));
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header.bytes),
    ...(palette === null ? [] : [chunk('PLTE', palette)]),
    ...(transparency === null ? [] : [chunk('tRNS', transparency)]),
    chunk('IDAT', pixels),
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

/**
 * The pixels, unpacked and packed again part by part: unpacked, 32 KiB can be 32 MiB. The level is zlib's own, since the highest
 * takes many times as long for pixels that are made to be slow.
 */
async function packedAgain(data: Buffer, passes: readonly Rows[]): Promise<Buffer> {
  const packed: Buffer[] = [];
  let bytes = 0;
  try {
    await pipeline(
      Readable.from([data]),
      createInflate({ chunkSize: PART_BYTES }),
      (parts: AsyncIterable<Buffer>) => checkedPixels(parts, passes),
      createDeflate({ chunkSize: PART_BYTES }),
      async (parts: AsyncIterable<Buffer>) => {
        for await (const part of parts) {
          bytes += part.length;
          if (bytes > PACKED_MAX) throw new LogoRefused('The image has too much detail. Make it smaller.');
          packed.push(part);
        }
      },
    );
  } catch (error) {
    throw isZlibError(error) ? new LogoRefused(BROKEN) : error;
  }
  return Buffer.concat(packed);
}

/** Not packed as PNG asks for. */
const isZlibError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');

const LAST_FILTER = 4;

/** Passes on exactly the bytes that the size asks for: no bomb, and nothing left over. Every row has a filter that exists. */
async function* checkedPixels(parts: AsyncIterable<Buffer>, passes: readonly Rows[]): AsyncGenerator<Buffer> {
  const size = passes.reduce((sum, { count, length }) => sum + count * length, 0);
  const filters = filterOffsets(passes);
  let filter = filters.next();
  let at = 0;
  for await (const part of parts) {
    for (; !filter.done && filter.value < at + part.length; filter = filters.next())
      if ((part[filter.value - at] ?? 0) > LAST_FILTER) throw new LogoRefused(BROKEN);
    at += part.length;
    if (at > size) throw new LogoRefused(BROKEN);
    yield part;
  }
  if (at !== size) throw new LogoRefused(BROKEN);
}

/** Where the bytes are that name the rows' filters. */
function* filterOffsets(passes: readonly Rows[]): Generator<number, void> {
  let at = 0;
  for (const { count, length } of passes) for (let row = 0; row < count; row += 1, at += length) yield at;
}

function chunk(type: string, data: Buffer): Buffer {
  const written = Buffer.alloc(CHUNK_FRAME + data.length);
  written.writeUInt32BE(data.length, 0);
  written.write(type, 4, 'latin1');
  data.copy(written, 8);
  written.writeUInt32BE(crc32(written.subarray(4, 8 + data.length)), 8 + data.length);
  return written;
}
