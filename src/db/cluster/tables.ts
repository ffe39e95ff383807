/*
 * Where each table lives on a Citus cluster. A test holds these lists against the schema, so that a new table cannot be
 * forgotten.
 */

/** Sharded by business. Referenced tables come first: a foreign key needs its target to be distributed. */
export const DISTRIBUTED_TABLES = [
  'recipients',
  'messages',
  'message_events',
  'sends',
  'send_attempts',
  'links',
  'inbox_sessions',
  'api_keys',
  'idempotency_records',
  'events',
  'event_feeds',
  'webhook_endpoints',
  'webhook_deliveries',
  'webhook_replays',
  'webhook_attempts',
  'consent_log',
  'stops',
  'suppressions',
  'whatsapp_unreachable',
  'whatsapp_replies',
  'auto_reply_windows',
  'messaged_numbers',
  'business_senders',
  'provider_senders',
  'sender_domains',
  'business_usage',
  'usage_slots',
  'usage_counters',
  'credit_accounts',
  'credit_ledger',
  'credits_by_country',
  'memberships',
  'audit_entries',
  'logos',
  'subject_index',
  'subject_words',
  'order_changes',
  'orders',
  'order_recipients',
  'shipments',
  'tracking_events',
  'business_texts',
  'connection_calls',
  'connection_orders',
  'tracking_registrations',
  'sandbox_messages',
] as const;

/** The table that the others are placed beside, with the column that names the business. */
export const FIRST_DISTRIBUTED = { table: 'businesses', column: 'id' } as const;

/** Copied to every node: statements on a shard read them, and they are written rarely. */
export const REFERENCE_TABLES = [
  'members',
  'dashboard_sessions',
  'sign_in_links',
  'passkeys',
  'passkey_challenges',
  'country_prices',
  'whatsapp_templates',
  'template_translations',
  'platform_suppressions',
  'connections',
] as const;

/**
 * On the coordinator only: no statement joins them with a shard. A copy on every node would make each write a transaction
 * across all of them, and the guard against restores needs a transaction id that one server gives out.
 */
export const COORDINATOR_TABLES = [
  'service_clock',
  'restore_guard',
  'instance_secrets',
  'bounce_mailbox',
  'provider_reports',
  'platform_audit_entries',
  'member_invitations',
  'sandbox_reports',
  'schema_migrations',
] as const;

/*
 * Citus sends a statement to one shard if each sharded table in it is limited to businesses of that shard. Statements are written for
 * one Postgres, where such limits would only cost time; here they are added.
 */

const COLUMN_OF = new Map<string, string>([
  [FIRST_DISTRIBUTED.table, FIRST_DISTRIBUTED.column],
  ...DISTRIBUTED_TABLES.map((table): [string, string] => [table, 'business_id']),
]);

/** A name that is no clause may follow the table's own. */
const READ =
  /(?<!\bdelete )\b(from|join)\s+([a-z_]+)\b(?:\s+(?!(?:where|on|cross|join|left|order|group|having|limit|offset|for|union|except|set|using|returning|as)\b)([a-z_]\w*))?/g;
const WRITTEN =
  /\b(?:update|delete from)\s+([a-z_]+)\b(?:\s+(?!(?:where|set|using|returning)\b)([a-z_]\w*))?/g;

/** Whether a statement reads or changes rows of a sharded table; one that only inserts does not. */
export const isSharded = (text: string): boolean =>
  [...text.matchAll(READ)].some(({ 2: table = '' }) => COLUMN_OF.has(table)) ||
  [...text.matchAll(WRITTEN)].some(({ 1: table = '' }) => COLUMN_OF.has(table));

/** The statement with each sharded table limited to the businesses in the list `parameter`. */
export function limitToBusinesses(text: string, parameter: string): string {
  const columns = /\bctid\b/.test(text) ? '*, ctid' : '*';
  const among = (table: string, alias: string): string =>
    `${alias}.${COLUMN_OF.get(table)} = any (${parameter}::text[])`;
  const read = text.replace(READ, (found, before: string, table: string, alias: string = table) =>
    COLUMN_OF.has(table)
      ? `${before} (select ${columns} from ${table} where ${among(table, table)}) ${alias}`
      : found,
  );
  // From the last to the first, so that the places of those before stay as they are.
  return [...read.matchAll(WRITTEN)]
    .reverse()
    .reduce((limited, { index, 1: table = '', 2: alias = table }) => {
      if (!COLUMN_OF.has(table)) return limited;
      const { start, end } = conditionAfter(limited, index);
      return `${limited.slice(0, start)} ${among(table, alias)} and (${limited.slice(start, end)})${limited.slice(end)}`;
    }, read);
}

const TOKEN = /'(?:[^']|'')*'|[()]|\b(?:where|returning)\b/g;

/** Where the condition of the update or delete at this place begins and ends. */
function conditionAfter(text: string, from: number): { start: number; end: number } {
  let depth = 0;
  let start: number | null = null;
  TOKEN.lastIndex = from;
  for (let token = TOKEN.exec(text); token !== null; token = TOKEN.exec(text)) {
    if (token[0] === '(') depth += 1;
    else if (token[0] === ')') depth -= 1;
    else if (token[0] === 'where' && depth === 0) start ??= token.index + token[0].length;
    const ends = depth < 0 || (token[0] === 'returning' && depth === 0);
    if (ends && start !== null) return { start, end: token.index };
  }
  if (start === null) throw new Error(`a statement changes rows without saying which: ${text}`);
  return { start, end: text.length };
}
