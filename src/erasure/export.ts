import type { Client } from '../db/pool.ts';
import type { Queryable } from '../db/statement.ts';
import type { Hasher } from '../kit/seal.ts';
import {
  type ExportedRow,
  exportCalls,
  exportEvents,
  exportedTables,
  exportMessages,
  exportNumber,
  exportOrders,
  exportPerson,
  exportSuppressions,
  exportToldOrders,
  freezeView,
  type NumberRows,
} from './exportSql.ts';

/** Every row about one person, as stored, of one snapshot, so `tx` does nothing else. Null: nothing is stored, or nobody waits. */
export async function exportRecipient(
  tx: Client,
  hash: Hasher,
  { businessId, email }: { businessId: string; email: string },
  isGone: () => boolean = () => false,
) {
  await freezeView(tx);
  const [person] = await exportPerson(tx, businessId, email);
  const suppressions = rows(await exportSuppressions(tx, businessId, hash('email', email)));
  const orders = rows(await exportOrders(tx, businessId, email));
  const calls = await exportCalls(tx, businessId, email);
  const told = rows(await exportToldOrders(tx, businessId, email));
  if (!person && [suppressions, orders, calls, told].every(({ length }) => length === 0)) return null;
  const messages = person ? await allMessages(tx, businessId, person.id, isGone) : [];
  if (messages === null) return null;
  const tables: Record<string, ExportedRow[]> = {};
  for (const [name, read] of Object.entries(exportedTables))
    tables[name] = person ? rows(await read(tx, businessId, person.id)) : [];
  const phone = person?.row.phone;
  const [number] = typeof phone === 'string' ? await exportNumber(tx, businessId, hash('phone', phone)) : [];
  return {
    email,
    recipient: person?.row ?? null,
    messages,
    orders,
    connection_calls: calls.map(({ row, body }) => ({ ...row, body: body.toString('utf8') })),
    connection_orders: told,
    webhook_events: rows(await exportEvents(tx, businessId, email, person?.id ?? null)),
    ...tables,
    suppressions,
    ...(number ?? NO_NUMBER),
  };
}

const NAMES_A_TIME = /(?:^|_)(?:at|until|for)$/;
const STORED_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?\+00:00$/;

/** Rows as JSON, with times as the interface writes them: UTC, in milliseconds, with a Z. */
export const withInterfaceTimes = (exported: object): string =>
  JSON.stringify(exported, (name, value: unknown) =>
    typeof value === 'string' && NAMES_A_TIME.test(name) && STORED_TIME.test(value)
      ? new Date(value).toISOString()
      : value,
  );

const NO_NUMBER: NumberRows = {
  stops: [],
  messaged_numbers: [],
  auto_reply_window_until: null,
  not_on_whatsapp_until: null,
};

const rows = (found: readonly { row: ExportedRow }[]): ExportedRow[] => found.map(({ row }) => row);

const PAGE = 1_000;

/** Page by page: a single statement for 100,000 messages would run for long. */
async function allMessages(db: Queryable, businessId: string, recipientId: string, isGone: () => boolean) {
  const all: ExportedRow[] = [];
  for (let after = ''; ; ) {
    if (isGone()) return null;
    const page = await exportMessages(db, businessId, recipientId, after, PAGE);
    all.push(...page.map(({ row, sends, history }) => ({ ...row, sends, history })));
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return all;
    after = last.id;
  }
}
