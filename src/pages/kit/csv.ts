import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendStream } from '../../api/streams.ts';

type CsvCell = string | number | Date | null;

/** A spreadsheet runs a cell that begins with one of these as a formula, also behind a tab or a line break. */
const FORMULA = /^[\t\r\n ]*[=+\-@|%]|^[\t\r]/;
const NEEDS_QUOTES = /["\r\n,;\t]/;

export type CsvColumn<Item> = readonly [title: string, cell: (item: Item) => CsvCell];

interface CsvTable<Item> {
  fileName: string;
  columns: readonly CsvColumn<Item>[];
}

/** Sends rows as they are read, so that a file of any size takes a page's memory. */
export const sendCsv = <Item>(
  request: FastifyRequest,
  reply: FastifyReply,
  table: CsvTable<Item>,
  pages: AsyncIterable<readonly Item[]>,
): FastifyReply =>
  sendStream(
    request,
    reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="${table.fileName}"`),
    Readable.from(csvLines(table, pages)),
  );

/** The byte order mark makes spreadsheets read the text as UTF-8. */
async function* csvLines<Item>({ columns }: CsvTable<Item>, pages: AsyncIterable<readonly Item[]>) {
  yield `\uFEFF${csvLine(columns.map(([title]) => title))}`;
  for await (const items of pages)
    yield items.map((item) => csvLine(columns.map(([, cell]) => cell(item)))).join('');
}

export const csvLine = (cells: readonly CsvCell[]): string => `${cells.map(csvCell).join(',')}\r\n`;

function csvCell(cell: CsvCell): string {
  if (cell === null) return '';
  if (cell instanceof Date) return cell.toISOString();
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return NEEDS_QUOTES.test(text) || text !== cell ? `"${text.replaceAll('"', '""')}"` : text;
}
