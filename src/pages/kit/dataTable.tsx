import type { Children } from '../../kit/jsxRuntime.ts';

interface Column<Row> {
  title: string;
  /** Numbers stand to the right, so that their digits line up. */
  numeric?: boolean;
  cell(row: Row): Children;
}

interface DataTableProps<Row> {
  /** Says what the table holds; hidden from view where a heading says it already. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Stands for a table without rows. */
  none?: string;
}

/** A table that becomes a list of labelled lines on a phone. The first column names the row. */
export function DataTable<Row>({ caption, columns, rows, none }: DataTableProps<Row>) {
  if (rows.length === 0 && none !== undefined) return <p class="hint">{none}</p>;
  return (
    <table class="data-table">
      <caption class="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ title, numeric }) => (
            <th scope="col" class={numeric ? 'numeric' : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            {columns.map(({ title, numeric, cell }, index) =>
              index === 0 ? (
                <th scope="row">{cell(row)}</th>
              ) : (
                <td class={numeric ? 'numeric' : undefined} data-title={title}>
                  {cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
