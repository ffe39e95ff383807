import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { plainPng, png, pngChunk, pngHeader } from '../support/images.ts';
import { buildProgram, killAllPrograms, type Program, startProgram } from '../support/program.ts';
import { startService, type TestService } from '../support/service.ts';
import { csrfIn, joinShop, type MemberBrowser, signedIn } from './memberBrowser.ts';

const MiB = 1024;
const SIDE = 2_048;

let service: TestService;
let program: Program;
let owner: MemberBrowser;
let path: string;
let csrf: string;
beforeAll(async () => {
  await buildProgram();
  service = await startService({ ROLES: 'worker' });
  program = await startProgram({
    DATABASE_URL: service.database.url,
    SECRET_KEY: service.secretKey,
    ROLES: 'api',
  });
  const { businessId } = await service.business();
  const { id } = await joinShop(service, businessId, 'owner@shop.example', 'owner');
  owner = await signedIn({ ...service, url: program.url }, id);
  path = `/dashboard/${businessId}/settings/logo`;
  csrf = csrfIn((await owner.get('/dashboard/account')).text);
});
afterAll(async () => {
  await killAllPrograms();
  await service.close();
});

const upload = async (content: Buffer): Promise<number> =>
  (await owner.upload(path, { csrf }, { name: 'logo', content })).status;

/** The most memory that the program has ever used, in KiB. */
const peakMemory = (): number =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${program.child.pid}/status`, 'utf8'))?.[1]);

/** 32 KiB that unpack to 32 MiB. */
const packed = png(
  pngChunk('IHDR', pngHeader({ width: SIDE, height: SIDE, depth: 16, colourType: 6 })),
  pngChunk('IDAT', deflateSync(Buffer.alloc(SIDE * (1 + SIDE * 8)))),
  pngChunk('IEND', Buffer.alloc(0)),
);

const TITLE = 'twenty PNGs of 32 KiB and the most pixels at once are all answered, and take at most 100 MiB';
test.runIf(process.platform === 'linux')(TITLE, async () => {
  expect(await upload(plainPng(16))).toBe(303);
  const before = peakMemory();
  const statuses = await Promise.all(Array.from({ length: 20 }, () => upload(packed)));
  expect(statuses.filter((status) => status !== 303 && status !== 422)).toEqual([]);
  expect(peakMemory() - before).toBeLessThan(100 * MiB);
});
