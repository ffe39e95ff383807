import type { Queryable } from '../db/statement.ts';
import { newId } from '../kit/ids.ts';
import { insertAudit } from './sql.ts';

/** Whoever runs the service, through the CLI; a merchant's own acts are those of a key. */
export const OPERATOR = 'operator';
export const actingKey = (keyId: string): string => `key:${keyId}`;

export interface AuditEntry {
  businessId: string;
  actor: string;
  action: string;
  /** Whom it was about: named here, and nowhere else in the entry, so that an erasure finds it. */
  recipient?: { id: string; email: string };
  detail?: Record<string, unknown>;
}

/** Notes who did what, in the transaction of the deed. */
export async function recordAudit(tx: Queryable, now: Date, entry: AuditEntry): Promise<void> {
  const { businessId, actor, action, recipient, detail = {} } = entry;
  const who = [recipient?.id ?? null, recipient?.email ?? null] as const;
  await insertAudit(tx, businessId, newId(now), actor, action, ...who, JSON.stringify(detail), now);
}
