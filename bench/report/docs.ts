import { readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import type { Curve } from '../curves.ts';
import type { Row } from './row.ts';
import { curveTable, resultsTable } from './table.ts';

const PAGE = new URL('../../docs/performance.md', import.meta.url);
const BEGIN = '<!-- measured: begin -->';
const END = '<!-- measured: end -->';

/** Writes the results between the markers of docs/performance.md. */
export async function writeBenchDocs(rows: readonly Row[], curves: readonly Curve[]): Promise<void> {
  const page = await readFile(PAGE, 'utf8');
  const [before, rest = ''] = page.split(BEGIN);
  const after = rest.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`${PAGE.pathname} has lost its marks`);
  const [cpu] = cpus();
  const machine = `${cpus().length} × ${cpu?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}`;
  const measured = [
    `Measured on ${machine}; commits wait for the disk.`,
    resultsTable(rows),
    ...curves.map(curveTable),
  ];
  await writeFile(PAGE, `${before}${BEGIN}\n\n${measured.join('\n\n')}\n\n${END}${after}`);
}
