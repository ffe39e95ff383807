import type { QueryResultRow } from 'pg';
import { isOnCluster } from './pool.ts';
import { type Queryable, type Statement, statementInForms } from './statement.ts';

/*
 * Statements about rows of several businesses. On one Postgres each is one statement for all of them, which costs a tenth of a
 * statement per business. On a cluster a statement may lock and change rows of one shard only: there it is sent once per
 * business, and names the business as its last parameter.
 */

/** What a parameter holds, so that it can be split by business. */
type ParameterKind =
  /** A list of ids of businesses. */
  | 'businesses'
  /** A list that is parallel to the list of businesses before it. */
  | 'beside'
  /** A JSON array of rows with a `business_id` each. */
  | 'rows'
  /** The same for every business. */
  | 'same';

export interface StatementForm {
  /** ` and <column> = $n` on a cluster, where each table must be limited to one business; elsewhere nothing. */
  only: (column?: string) => string;
  /** The business: its parameter on a cluster, and elsewhere the given expression for each row. */
  business: (each: string) => string;
  onCluster: boolean;
}

interface SplitOptions<Row> {
  /** A column with the place of a row's key in the lists, from 1. */
  place?: keyof Row & string;
}

/**
 * A statement whose parameters are split by business on a cluster. Without any business nothing is sent there. The form for a
 * cluster may be several steps, since Citus cannot send a statement to one shard that inserts in its `with` part.
 */
export function statementOfBusinesses<
  Params extends readonly unknown[],
  Row extends QueryResultRow = Record<string, never>,
>(
  kinds: { readonly [K in keyof Params]: ParameterKind },
  text: (form: StatementForm) => string | readonly string[],
  { place }: SplitOptions<Row> = {},
): Statement<Params, Row> {
  const business = `$${kinds.length + 1}`;
  const forms = statementInForms<Row>(
    [text({ only: () => '', business: (each) => each, onCluster: false })].flat().join(''),
    [
      text({
        only: (column = 'business_id') => ` and ${column} = ${business}`,
        business: () => business,
        onCluster: true,
      }),
    ].flat(),
  );
  const split = async (db: Queryable, params: readonly unknown[]): Promise<Row[]> => {
    const parts = splitByBusiness(kinds, params);
    const answers = await Promise.all(
      parts.map(async ({ businessId, values, places }) => {
        const rows = await forms.onCluster(db, [...values, businessId]);
        return place === undefined ? rows : rows.map((row) => withPlace(row, place, places));
      }),
    );
    return answers.flat();
  };
  return forms.declare((db, ...params) =>
    isOnCluster(db) ? split(db, params) : forms.plain(db, [...params]),
  );
}

const withPlace = <Row extends QueryResultRow>(
  row: Row,
  column: keyof Row & string,
  places: number[],
): Row => ({
  ...row,
  [column]: places[Number(row[column]) - 1],
});

interface Part {
  businessId: string;
  values: unknown[];
  /** The places of the part's keys in the first list of businesses, from 1. */
  places: number[];
}

/** Exported for its test. The parts are in the order of the businesses' ids, as everything that locks is. */
export function splitByBusiness(kinds: readonly ParameterKind[], params: readonly unknown[]): Part[] {
  const lists = params.map((value, index) => businessesIn(kinds[index], value));
  const ids = [...new Set(lists.flatMap((list) => list ?? []))].sort();
  const first = lists.findIndex((_, index) => kinds[index] === 'businesses');
  return ids.map((businessId) => {
    let chosen: number[] = [];
    const values = params.map((value, index) => {
      const kind = kinds[index];
      if (kind === 'businesses') chosen = placesOf(businessId, lists[index] ?? []);
      if (kind === 'businesses' || kind === 'beside')
        return Array.isArray(value) ? chosen.map((at): unknown => value[at]) : value;
      return kind === 'rows' && ids.length > 1 ? rowsOf(businessId, value) : value;
    });
    const places = placesOf(businessId, lists[first] ?? []).map((at) => at + 1);
    return { businessId, values, places };
  });
}

const placesOf = (businessId: string, list: readonly string[]): number[] =>
  list.flatMap((id, at) => (id === businessId ? [at] : []));

function businessesIn(kind: ParameterKind | undefined, value: unknown): string[] | null {
  if (kind === 'businesses' && Array.isArray(value)) return value.map(String);
  if (kind === 'rows') return parseRows(value).map(({ business_id }) => business_id);
  return null;
}

const rowsOf = (businessId: string, json: unknown): string =>
  JSON.stringify(parseRows(json).filter(({ business_id }) => business_id === businessId));

function parseRows(json: unknown): { business_id: string }[] {
  const rows: unknown = typeof json === 'string' ? JSON.parse(json) : [];
  return Array.isArray(rows) ? rows.filter(isRow) : [];
}

const isRow = (row: unknown): row is { business_id: string } =>
  typeof row === 'object' && row !== null && 'business_id' in row && typeof row.business_id === 'string';

/** A statement about one business that is written otherwise on a cluster, with the same parameters. */
export function statementInTwoForms<
  Params extends readonly unknown[],
  Row extends QueryResultRow = Record<string, never>,
>(text: (onCluster: boolean) => string | readonly string[]): Statement<Params, Row> {
  const forms = statementInForms<Row>([text(false)].flat().join(''), [text(true)].flat());
  return forms.declare((db, ...params) =>
    isOnCluster(db) ? forms.onCluster(db, params) : forms.plain(db, [...params]),
  );
}
