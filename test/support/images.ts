import { crc32, deflateSync } from 'node:zlib';
import { logoFrom } from '../../src/businesses/logo/logo.ts';
import { LogoRefused } from '../../src/businesses/logo/refusal.ts';

export const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export function pngChunk(type: string, data: Buffer, crc?: number): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc ?? crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

export function pngHeader({
  width = 2,
  height = 2,
  depth = 8,
  colourType = 2,
  interlace = 0,
}: Partial<Record<'width' | 'height' | 'depth' | 'colourType' | 'interlace', number>> = {}): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set([depth, colourType, 0, 0, interlace], 8);
  return data;
}

export const png = (...chunks: readonly Buffer[]): Buffer => Buffer.concat([PNG_SIGNATURE, ...chunks]);

/** A square of one colour. */
export function plainPng(side = 2, red = 0x1f): Buffer {
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(side * 3, red)]);
  return png(
    pngChunk('IHDR', pngHeader({ width: side, height: side })),
    pngChunk('IDAT', deflateSync(Buffer.concat(Array.from({ length: side }, () => row)))),
    pngChunk('IEND', Buffer.alloc(0)),
  );
}

/** One grey pixel, as an encoder writes it. */
export const PLAIN_JPEG = Buffer.from(
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSExIQEw8QEBD/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAACf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AKp//2Q==',
  'base64',
);

/** No logo: mail programs show none. */
export const PLAIN_SVG = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/></svg>',
);

/** Why these bytes are no logo, or that they are `taken`. */
export const logoRefusal = async (bytes: Buffer): Promise<string> => {
  try {
    await logoFrom(bytes);
  } catch (error) {
    if (error instanceof LogoRefused) return error.message;
    throw error;
  }
  return 'taken';
};
