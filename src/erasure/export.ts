import type { Client } from '../db/pool.ts';
import type { Queryable } from '../db/statement.ts';
import type { Hasher } from '../kit/seal.ts';
import {
  exportAnswers,
  exportAudit,
  exportCaptured,
  exportConsent,
  exportEvents,
  exportLinks,
  exportMessages,
  exportNumber,
  exportPerson,
  exportReplies,
  exportServiceMail,
  exportSessions,
  exportSuppressions,
  freezeView,
} from './exportSql.ts';

type Row = Record<string, unknown>;

/** All rows of one business about one person, table by table, as they are stored. */
interface PersonExport {
  email: string;
  recipient: Row | null;
  messages: Row[];
  service_mail: Row[];
  consent_log: Row[];
  whatsapp_replies: Row[];
  links: Row[];
  inbox_sessions: Row[];
  webhook_events: Row[];
  stored_responses: Row[];
  audit_entries: Row[];
  sandbox_messages: Row[];
  suppressions: Row[];
  stops: Row[];
  messaged_numbers: Row[];
  auto_reply_window_until: Date | null;
  not_on_whatsapp_until: Date | null;
}

/**
 * Exports a person's data, for a data-subject request. It needs a transaction of its own, since it sets the isolation level
 * to read one snapshot. Null when nothing is stored about the address, or once `isGone` says that nobody waits for it.
 */
export async function exportRecipient(
  tx: Client,
  hash: Hasher,
  { businessId, email }: { businessId: string; email: string },
  isGone: () => boolean = () => false,
): Promise<PersonExport | null> {
  await freezeView(tx);
  const [person] = await exportPerson(tx, businessId, email);
  const suppressions = rows(await exportSuppressions(tx, businessId, hash('email', email)));
  if (!person) return suppressions.length === 0 ? null : { ...emptyExport(email), suppressions };

  const at = [businessId, person.id] as const;
  const phone = person.row.phone;
  const messages = await allMessages(tx, ...at, isGone);
  if (messages === null) return null;
  const [number] = typeof phone === 'string' ? await exportNumber(tx, businessId, hash('phone', phone)) : [];
  return {
    ...emptyExport(email),
    recipient: person.row,
    messages,
    service_mail: rows(await exportServiceMail(tx, ...at)),
    consent_log: rows(await exportConsent(tx, ...at)),
    whatsapp_replies: rows(await exportReplies(tx, ...at)),
    links: rows(await exportLinks(tx, ...at)),
    inbox_sessions: rows(await exportSessions(tx, ...at)),
    webhook_events: rows(await exportEvents(tx, ...at)),
    stored_responses: rows(await exportAnswers(tx, ...at)),
    audit_entries: rows(await exportAudit(tx, ...at)),
    sandbox_messages: rows(await exportCaptured(tx, ...at)),
    suppressions,
    ...number,
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

const emptyExport = (email: string): PersonExport => ({
  email,
  recipient: null,
  messages: [],
  service_mail: [],
  consent_log: [],
  whatsapp_replies: [],
  links: [],
  inbox_sessions: [],
  webhook_events: [],
  stored_responses: [],
  audit_entries: [],
  sandbox_messages: [],
  suppressions: [],
  stops: [],
  messaged_numbers: [],
  auto_reply_window_until: null,
  not_on_whatsapp_until: null,
});

const rows = (found: readonly { row: Row }[]): Row[] => found.map(({ row }) => row);

const PAGE = 1_000;

/** Page by page: a single statement for 100,000 messages would run for long. */
async function allMessages(
  db: Queryable,
  businessId: string,
  recipientId: string,
  isGone: () => boolean,
): Promise<Row[] | null> {
  const all: Row[] = [];
  for (let after = ''; ; ) {
    if (isGone()) return null;
    const page = await exportMessages(db, businessId, recipientId, after, PAGE);
    all.push(...page.map(({ row, sends, history }) => ({ ...row, sends, history })));
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return all;
    after = last.id;
  }
}
