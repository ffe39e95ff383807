import type { Children } from '../../kit/jsxRuntime.ts';

export interface ListColumn<Row> {
  title: string;
  /**
   * The place on a phone, where a row has two lines: `name` and `end`, below them `under` and `mark`. A `wide` column is left out
   * there.
   */
  place: 'name' | 'end' | 'under' | 'mark' | 'wide';
  /** Faint, beside what counts. */
  aside?: boolean;
  numeric?: boolean;
  cell(row: Row): Children;
}

interface ListTableProps<Row> {
  /** Says what the list holds; hidden from view. */
  caption: string;
  columns: readonly ListColumn<Row>[];
  rows: readonly Row[];
  /** What stands below a row's name. */
  note?(row: Row): Children;
}

/** A list of many rows, one line each, two on a phone. The link in its name makes the whole row lead on. */
export function ListTable<Row>({ caption, columns, rows, note }: ListTableProps<Row>) {
  return (
    <div class="list">
      <table class="list-table">
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" class={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {columns.map((column) =>
                column.place === 'name' ? (
                  <th scope="row" class={classOf(column)}>
                    {column.cell(row)}
                    {note?.(row)}
                  </th>
                ) : (
                  <td class={classOf(column)}>{column.cell(row)}</td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const classOf = <Row,>({ place, aside, numeric }: ListColumn<Row>): string =>
  [place, aside && 'aside', numeric && 'numeric'].filter(Boolean).join(' ');
