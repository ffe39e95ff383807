import { peakMegabytesOf } from '../cost.ts';
import type { BenchServer } from '../program.ts';
import { measuredRow, type Row } from './row.ts';

/** The peak, since the current size depends on the last garbage collection. */
export const memoryRow = (what: string, { pid }: BenchServer): Row =>
  measuredRow(
    `memory: ${what}, peak during the above`,
    { of: 'memory', under: 250 },
    { perSecond: 0, rssMegabytes: peakMegabytesOf(pid) },
  );
