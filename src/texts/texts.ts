import { recordAudit } from '../businesses/audit.ts';
import { ORDER_STATUSES, type OrderStatus } from '../contract/orderStatuses.ts';
import type { TextView } from '../contract/texts.ts';
import type { Queryable } from '../db/statement.ts';
import { LANGUAGES, type Language } from '../language/languages.ts';
import { defaultText, type TextSource } from './defaults.ts';
import { deleteText, type OwnText, ownTexts, writeText } from './sql.ts';

export interface TextPlace {
  status: OrderStatus;
  language: Language;
}

interface TextChange extends TextPlace {
  businessId: string;
  actor: string;
}

/** A text as the interface shows it, and who made it the shop's own; null: it is ours. */
export interface TextInUse {
  view: TextView;
  own: OwnText | null;
}

/** The texts of every status in every language: the shop's, else ours. */
export async function readTexts(db: Queryable, businessId: string): Promise<TextInUse[]> {
  const own = await ownTexts(db, businessId);
  return ORDER_STATUSES.flatMap((status) =>
    LANGUAGES.map((language) => {
      const row = own.find((one) => one.order_status === status && one.language === language) ?? null;
      return { view: textView({ status, language }, row), own: row };
    }),
  );
}

/** Ours without a source of the shop. */
export function textView({ status, language }: TextPlace, own: TextSource | null = null): TextView {
  const { subject, body } = own ?? defaultText(status, language);
  return { order_status: status, language, subject, body, is_default: own === null };
}

/** Writes a checked text and its audit entry, if it says something new. Call it in a transaction. */
export async function saveText(
  tx: Queryable,
  now: Date,
  { businessId, status, language, actor }: TextChange,
  { subject, body }: TextSource,
): Promise<boolean> {
  const [written] = await writeText(tx, businessId, status, language, subject, body, actor, now);
  if (!written) return false;
  const detail = { order_status: status, language };
  await recordAudit(tx, now, { businessId, actor, action: 'text.changed', detail });
  return true;
}

/** Returns to ours. False: it was ours already. Call it in a transaction. */
export async function resetText(
  tx: Queryable,
  now: Date,
  { businessId, status, language, actor }: TextChange,
): Promise<boolean> {
  const [deleted] = await deleteText(tx, businessId, status, language);
  if (!deleted) return false;
  const detail = { order_status: status, language };
  await recordAudit(tx, now, { businessId, actor, action: 'text.reset', detail });
  return true;
}
