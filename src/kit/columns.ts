/** The fields of rows as lists: the parallel parameters of a statement. */
export function columns<Row, const Fields extends readonly (keyof Row)[]>(
  rows: readonly Row[],
  ...fields: Fields
): { -readonly [Place in keyof Fields]: Row[Fields[Place]][] };
export function columns<Row>(rows: readonly Row[], ...fields: (keyof Row)[]): unknown[][] {
  return fields.map((field) => rows.map((row) => row[field]));
}
