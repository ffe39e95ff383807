import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { percentile } from '../test/support/statistics.ts';
import type { Measured } from './measure.ts';

const PAGE_BYTES = 8_192;

/** Writes one page in place with fdatasync, repeatedly: every commit waits for the disk at least once. */
export async function measureDisk(seconds: number): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'waypost-bench-disk-'));
  const file = await open(join(folder, 'page'), 'w');
  const page = Buffer.alloc(PAGE_BYTES, 1);
  const times: number[] = [];
  try {
    const end = performance.now() + seconds * 1_000;
    while (performance.now() < end) {
      const began = performance.now();
      await file.write(page, 0, PAGE_BYTES, 0);
      await file.datasync();
      times.push(performance.now() - began);
    }
  } finally {
    await file.close();
    await rm(folder, { recursive: true });
  }
  return { perSecond: times.length / seconds, p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
}
