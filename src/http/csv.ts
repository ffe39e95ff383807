import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

export type CsvCell = string | number | Date | null;

/** A spreadsheet runs a cell that begins with one of these as a formula, also behind a tab or a line break. */
const FORMULA = /^[\t\r\n ]*[=+\-@|%]|^[\t\r]/;
const NEEDS_QUOTES = /["\r\n,;\t]/;

/** Sends rows as they are read, so that a file of any size takes a page's memory. */
export const sendCsv = (
  reply: FastifyReply,
  fileName: string,
  header: readonly string[],
  rows: AsyncIterable<readonly CsvCell[]>,
): FastifyReply =>
  reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${fileName}"`)
    .send(Readable.from(csvLines(header, rows)));

/** The byte order mark makes spreadsheets read the text as UTF-8. */
async function* csvLines(
  header: readonly string[],
  rows: AsyncIterable<readonly CsvCell[]>,
): AsyncGenerator<string> {
  yield `\uFEFF${csvLine(header)}`;
  for await (const row of rows) yield csvLine(row);
}

export const csvLine = (cells: readonly CsvCell[]): string => `${cells.map(csvCell).join(',')}\r\n`;

function csvCell(cell: CsvCell): string {
  if (cell === null) return '';
  if (cell instanceof Date) return cell.toISOString();
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return NEEDS_QUOTES.test(text) || text !== cell ? `"${text.replaceAll('"', '""')}"` : text;
}
