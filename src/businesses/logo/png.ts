import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createDeflate, createInflate } from 'node:zlib';
import { checkSides, LogoRefused } from './refusal.ts';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
export const isPng = (bytes: Buffer): boolean => bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE);

const damaged = (): LogoRefused => new LogoRefused('This PNG is damaged. Save it again in an image editor.');
const CHUNK_FRAME = 12;
const INDEXED = 3;
const LAST_FILTER = 4;
/** Pixels that were packed by a better program, or with ill will, grow when they are packed again. */
const PACKED_MAX = 512 * 1024;
const PART_BYTES = 64 * 1024;

interface Kind {
  depths: readonly number[];
  samples: number;
  /** The most bytes of the chunks that say how pixels look. */
  PLTE?: number;
  tRNS?: number;
}

/** By colour type. */
const KINDS: Readonly<Record<number, Kind>> = {
  0: { depths: [1, 2, 4, 8, 16], samples: 1, tRNS: 2 },
  2: { depths: [8, 16], samples: 3, PLTE: 768, tRNS: 6 },
  [INDEXED]: { depths: [1, 2, 4, 8], samples: 1, PLTE: 768, tRNS: 256 },
  4: { depths: [8, 16], samples: 2 },
  6: { depths: [8, 16], samples: 4 },
};

/**
 * The same picture, written anew: header, palette, transparency and pixels, compressed again. Everything else that the file
 * held is gone: texts, places, profiles, animations, and what stands behind its end or hides in its compressed data.
 */
export async function rewrittenPng(bytes: Buffer): Promise<Buffer> {
  const [first, ...rest] = chunksOf(bytes);
  if (first?.type !== 'IHDR') throw damaged();
  const header = headerOf(first.data);
  const only = (type: 'PLTE' | 'tRNS', max = 0): Chunk[] => {
    const found = max === 0 ? [] : rest.filter((one) => one.type === type);
    if (found.length > 1 || found.some(({ data }) => data.length > max)) throw damaged();
    return found;
  };
  const palettes = only('PLTE', header.kind.PLTE);
  if (palettes.length === 0 && header.isIndexed) throw damaged();
  if (palettes.some(({ data }) => data.length % 3 !== 0)) throw damaged();
  const packed = Buffer.concat(rest.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
  const kept: Chunk[] = [
    first,
    ...palettes,
    ...only('tRNS', header.kind.tRNS),
    { type: 'IDAT', data: await packedAgain(packed, rowLengths(header)) },
    { type: 'IEND', data: Buffer.alloc(0) },
  ];
  return Buffer.concat([SIGNATURE, ...kept.map(written)]);
}

interface Chunk {
  type: string;
  data: Buffer;
}

/** Up to IEND; a chunk whose checksum is wrong refuses the file. */
function chunksOf(bytes: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE.length; at + CHUNK_FRAME <= bytes.length; ) {
    const end = at + CHUNK_FRAME + bytes.readUInt32BE(at);
    if (end > bytes.length) break;
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) break;
    if (type === 'IEND') return chunks;
    chunks.push({ type, data: bytes.subarray(at + 8, end - 4) });
    at = end;
  }
  throw damaged();
}

function written({ type, data }: Chunk): Buffer {
  const [length, body, sum] = [Buffer.alloc(4), Buffer.concat([Buffer.from(type), data]), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

function headerOf(data: Buffer) {
  if (data.length !== 13) throw damaged();
  const [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
  const [depth = 0, colourType = -1, compression, filter, interlace = -1] = data.subarray(8);
  const kind = KINDS[colourType];
  if (!kind?.depths.includes(depth)) throw damaged();
  if (compression !== 0 || filter !== 0 || ![0, 1].includes(interlace)) throw damaged();
  checkSides(width, height);
  const bitsPerPixel = depth * kind.samples;
  return {
    width,
    height,
    kind,
    bitsPerPixel,
    isIndexed: colourType === INDEXED,
    isInterlaced: interlace === 1,
  };
}

/** The passes of Adam7: where each begins, and its steps. */
const INTERLACED = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** In bytes, each with the one that names the row's filter. */
const rowLengths = ({ width, height, bitsPerPixel, isInterlaced }: ReturnType<typeof headerOf>): number[] =>
  (isInterlaced ? INTERLACED : [[0, 0, 1, 1] as const]).flatMap(([x, y, stepX, stepY]) => {
    const [columns, rows] = [Math.ceil((width - x) / stepX), Math.ceil((height - y) / stepY)];
    if (columns < 1 || rows < 1) return [];
    return Array.from({ length: rows }, () => 1 + Math.ceil((columns * bitsPerPixel) / 8));
  });

/**
 * The pixels, unpacked and packed again part by part: unpacked, 32 KiB can be 32 MiB. The level is zlib's own, since the highest
 * takes many times as long for pixels that are made to be slow.
 */
async function packedAgain(data: Buffer, rows: readonly number[]): Promise<Buffer> {
  const packed: Buffer[] = [];
  let bytes = 0;
  await pipeline(
    Readable.from([data]),
    createInflate({ chunkSize: PART_BYTES }),
    (parts: AsyncIterable<Buffer>) => checkedPixels(parts, rows),
    createDeflate({ chunkSize: PART_BYTES }),
    async (parts: AsyncIterable<Buffer>) => {
      for await (const part of parts) {
        bytes += part.length;
        if (bytes > PACKED_MAX) throw new LogoRefused('The image has too much detail. Make it smaller.');
        packed.push(part);
      }
    },
  ).catch((error: unknown) => {
    throw error instanceof LogoRefused ? error : damaged(); // not packed as PNG asks for
  });
  return Buffer.concat(packed);
}

/** Passes on exactly the bytes that the size asks for: no bomb, and nothing left over. Every row has a filter that exists. */
async function* checkedPixels(parts: AsyncIterable<Buffer>, rows: readonly number[]): AsyncGenerator<Buffer> {
  let [at, row, rowAt] = [0, 0, 0];
  for await (const part of parts) {
    for (; row < rows.length && rowAt < at + part.length; row += 1) {
      if ((part[rowAt - at] ?? 0) > LAST_FILTER) throw damaged();
      rowAt += rows[row] ?? 0;
    }
    at += part.length;
    if (at > rowAt) throw damaged();
    yield part;
  }
  if (row !== rows.length || at !== rowAt) throw damaged();
}
