import { randomBytes } from 'node:crypto';
import { deflateSync, inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  logoRefusal,
  PLAIN_JPEG,
  PLAIN_SVG,
  PNG_SIGNATURE,
  plainPng,
  png,
  pngChunk,
  pngHeader,
} from '../../../test/support/images.ts';
import { LOGO_BYTES_MAX, logoFrom } from './logo.ts';

const END = pngChunk('IEND', Buffer.alloc(0));
const PIXELS = pngChunk('IDAT', deflateSync(Buffer.alloc(14)));
const EVIL = '<script>alert(1)</script><?php system($_GET[0]) ?>';
const evil = Buffer.from(EVIL);

const chunkTypes = (bytes: Buffer): string[] => {
  const types: string[] = [];
  for (let at = PNG_SIGNATURE.length; at < bytes.length; at += 12 + bytes.readUInt32BE(at))
    types.push(bytes.toString('latin1', at + 4, at + 8));
  return types;
};

test('the name is the hash of the content, whatever the upload was called', async () => {
  const [one, same, other] = await Promise.all([plainPng(), plainPng(), plainPng(3)].map(logoFrom));
  expect(one?.name).toMatch(/^[0-9a-f]{40}\.png$/);
  expect(same?.name).toBe(one?.name);
  expect(other?.name).not.toBe(one?.name);
});

test.each<[string, Buffer]>([
  ['an empty file', Buffer.alloc(0)],
  ['a text', Buffer.from('hello')],
  ['a GIF', Buffer.from('GIF89a\u0001\u0000\u0001\u0000', 'latin1')],
  ['a page', Buffer.from('<!doctype html><script>alert(1)</script>')],
  ['too many bytes', Buffer.concat([plainPng(), Buffer.alloc(LOGO_BYTES_MAX)])],
])('%s is refused', async (_name, bytes) => {
  expect(await logoRefusal(bytes)).not.toBe('taken');
});

test('a drawing is refused with the kinds that are taken, since mail programs show none', async () => {
  expect(await logoRefusal(PLAIN_SVG)).toBe(
    'A logo is a PNG or a JPEG image. Mail programs show no SVG: save a drawing as PNG.',
  );
});

describe('a PNG', () => {
  test('keeps its pixels and loses everything else', async () => {
    const withMore = png(
      pngChunk('IHDR', pngHeader()),
      pngChunk('tEXt', Buffer.from(`Comment\0${EVIL}`)),
      pngChunk('eXIf', evil),
      pngChunk('iCCP', evil),
      pngChunk('acTL', Buffer.alloc(8)),
      PIXELS,
      pngChunk('zzZz', evil),
      END,
      evil,
    );
    const { content } = await logoFrom(withMore);
    expect(chunkTypes(content)).toEqual(['IHDR', 'IDAT', 'IEND']);
    expect(content.includes('script')).toBe(false);
    const data = content.subarray(content.indexOf('IDAT') + 4, content.indexOf('IEND') - 8);
    expect(inflateSync(data)).toEqual(Buffer.alloc(14));
  });

  test('loses what hides behind its compressed pixels', async () => {
    const hiding = Buffer.concat([deflateSync(Buffer.alloc(14)), evil]);
    const { content } = await logoFrom(png(pngChunk('IHDR', pngHeader()), pngChunk('IDAT', hiding), END));
    expect(content.includes('script')).toBe(false);
  });

  test('that would be many times as large when it is packed again is refused', async () => {
    // It repeats after 30,000 bytes of two kinds: zlib at its own level looks no further back than 128 likely places.
    const period = randomBytes(30_000).map((byte) => byte & 1);
    const pixels = Buffer.alloc(1_024 * (1 + 1_024 * 8), period);
    const data = deflateSync(pixels, { level: 9 });
    const header = pngHeader({ width: 1_024, height: 1_024, depth: 16, colourType: 6 });
    const image = png(pngChunk('IHDR', header), pngChunk('IDAT', data), END);
    expect(image.length).toBeLessThan(LOGO_BYTES_MAX);
    expect(await logoRefusal(image)).toContain('too much detail');
  });

  test('of every kind is taken: palettes, transparency, grey, sixteen bits, interlaced', async () => {
    const kinds: [Partial<Parameters<typeof pngHeader>[0]>, Buffer[], number][] = [
      [
        { colourType: 3, depth: 2 },
        [pngChunk('PLTE', Buffer.alloc(12)), pngChunk('tRNS', Buffer.alloc(4))],
        4,
      ],
      [{ colourType: 0, depth: 1 }, [pngChunk('tRNS', Buffer.alloc(2))], 4],
      [{ colourType: 4, depth: 16 }, [], 18],
      [{ colourType: 6 }, [], 18],
      [{ interlace: 1 }, [], 1 + 3 + 1 + 3 + 1 + 6],
    ];
    for (const [kind, extra, size] of kinds) {
      const image = png(
        pngChunk('IHDR', pngHeader(kind)),
        ...extra,
        pngChunk('IDAT', deflateSync(Buffer.alloc(size))),
        END,
      );
      expect(await logoRefusal(image), JSON.stringify(kind)).toBe('taken');
      const { content } = await logoFrom(image);
      expect(await logoRefusal(content)).toBe('taken');
    }
  });

  test.each<[string, Buffer]>([
    ['without an end', png(pngChunk('IHDR', pngHeader()), PIXELS)],
    ['without pixels', png(pngChunk('IHDR', pngHeader()), END)],
    ['with a wrong checksum', png(pngChunk('IHDR', pngHeader(), 7), PIXELS, END)],
    ['that does not begin with its header', png(PIXELS, pngChunk('IHDR', pngHeader()), END)],
    ['with no width', png(pngChunk('IHDR', pngHeader({ width: 0 })), PIXELS, END)],
    ['that is too wide', png(pngChunk('IHDR', pngHeader({ width: 2_049 })), PIXELS, END)],
    ['that is too high', png(pngChunk('IHDR', pngHeader({ height: 4_000_000_000 })), PIXELS, END)],
    ['of an unknown kind', png(pngChunk('IHDR', pngHeader({ colourType: 5 })), PIXELS, END)],
    ['of a depth that its kind has not', png(pngChunk('IHDR', pngHeader({ depth: 4 })), PIXELS, END)],
    ['with a palette too few', png(pngChunk('IHDR', pngHeader({ colourType: 3 })), PIXELS, END)],
    ['with more pixels than its size', png(pngChunk('IHDR', pngHeader({ height: 1 })), PIXELS, END)],
    ['with fewer pixels than its size', png(pngChunk('IHDR', pngHeader({ height: 3 })), PIXELS, END)],
    [
      'that unpacks to gigabytes',
      png(pngChunk('IHDR', pngHeader()), pngChunk('IDAT', deflateSync(Buffer.alloc(50_000_000))), END),
    ],
    [
      'with a filter that does not exist',
      png(pngChunk('IHDR', pngHeader()), pngChunk('IDAT', deflateSync(Buffer.alloc(14, 9))), END),
    ],
    ['whose chunk is longer than the file', png(Buffer.from([0xff, 0xff, 0xff, 0xff]), Buffer.alloc(20))],
  ])('%s is refused', async (_name, bytes) => {
    expect(await logoRefusal(bytes)).not.toBe('taken');
  });
});

describe('a JPEG', () => {
  const afterStart = (...segments: readonly Buffer[]): Buffer =>
    Buffer.concat([PLAIN_JPEG.subarray(0, 2), ...segments, PLAIN_JPEG.subarray(2)]);
  const segment = (code: number, data: Buffer): Buffer => {
    const head = Buffer.from([0xff, code, 0, 0]);
    head.writeUInt16BE(data.length + 2, 2);
    return Buffer.concat([head, data]);
  };

  test('keeps its picture and loses everything else', async () => {
    const { content } = await logoFrom(
      Buffer.concat([
        afterStart(segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), evil])), segment(0xfe, evil)),
        evil,
      ]),
    );
    expect(content.includes('script')).toBe(false);
    expect(content.includes('Exif')).toBe(false);
    expect(content.includes('JFIF')).toBe(false);
    const { content: plain } = await logoFrom(PLAIN_JPEG);
    expect(content).toEqual(plain);
    expect(await logoRefusal(plain)).toBe('taken');
  });

  test('keeps what says how its colours are meant, and no more of it', async () => {
    const adobe = Buffer.concat([Buffer.from('Adobe'), Buffer.from([0, 100, 0, 0, 0, 0, 1]), evil]);
    const { content } = await logoFrom(afterStart(segment(0xee, adobe)));
    expect(content.includes('Adobe')).toBe(true);
    expect(content.includes('script')).toBe(false);
  });

  const frameAt = PLAIN_JPEG.indexOf(Buffer.from([0xff, 0xc0]));
  const changed = (at: number, value: number): Buffer => {
    const bytes = Buffer.from(PLAIN_JPEG);
    bytes[at] = value;
    return bytes;
  };
  test.each<[string, Buffer]>([
    ['cut off', PLAIN_JPEG.subarray(0, -2)],
    ['of its start alone', PLAIN_JPEG.subarray(0, 4)],
    ['without a scan', Buffer.concat([PLAIN_JPEG.subarray(0, 20), Buffer.from([0xff, 0xd9])])],
    ['of a rare kind', changed(frameAt + 1, 0xc3)],
    ['that is too high', changed(frameAt + 5, 0xff)],
    ['that is empty', changed(frameAt + 8, 0)],
    ['with more components than it describes', changed(frameAt + 9, 3)],
    ['with a table that hides something', afterStart(segment(0xdb, Buffer.alloc(70)))],
    ['with a segment longer than the file', afterStart(Buffer.from([0xff, 0xe1, 0xff, 0xff]))],
    ['with an unknown segment', afterStart(segment(0xf0, evil))],
  ])('%s is refused', async (_name, bytes) => {
    expect(await logoRefusal(bytes)).not.toBe('taken');
  });

  test('for a printing press is refused with the way out', async () => {
    const frame = segment(0xc0, Buffer.from([8, 0, 1, 0, 1, 4, 1, 17, 0, 2, 17, 0, 3, 17, 0, 4, 17, 0]));
    expect(await logoRefusal(afterStart(frame))).toContain('Save it as RGB');
  });
});

test('any bytes behind a signature are refused, or written as an image of ours', async () => {
  const starts = [plainPng().subarray(0, 33), PLAIN_JPEG.subarray(0, 20)];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 200 }), async (start, rest) => {
      expect(await logoRefusal(Buffer.concat([start, rest]))).not.toBe('taken');
    }),
    { numRuns: 1_000 },
  );
});
