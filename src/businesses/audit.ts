import type { Queryable } from '../db/statement.ts';
import { newId } from '../kit/ids.ts';
import { insertAudit, insertPlatformAudit } from './sql.ts';

/** The actor of CLI commands; a merchant's calls have their key as the actor, the dashboard's actions their member. */
export const OPERATOR = 'operator';
export const actingKey = (keyId: string): string => `key:${keyId}`;
export const actingMember = (memberId: string): string => `member:${memberId}`;

/** Who requests an action that the API and the dashboard share. */
export type Acting = { keyId: string } | { memberId: string };
export const actorOf = (acting: Acting): string =>
  'keyId' in acting ? actingKey(acting.keyId) : actingMember(acting.memberId);

interface AuditEntry {
  businessId: string;
  actor: string;
  action: string;
  /** Must not be named in `detail`: an erasure scrubs only this field. */
  recipient?: { id: string; email: string };
  detail?: Record<string, unknown>;
}

/** Call it in the transaction of the change. */
export async function recordAudit(tx: Queryable, now: Date, entry: AuditEntry): Promise<void> {
  const { businessId, actor, action, recipient, detail = {} } = entry;
  const who = [recipient?.id ?? null, recipient?.email ?? null] as const;
  await insertAudit(tx, businessId, newId(now), actor, action, ...who, JSON.stringify(detail), now);
}

/** For an action that belongs to no shop. Call it in the transaction of the change. */
export async function recordPlatformAudit(
  tx: Queryable,
  now: Date,
  { actor, action, detail = {} }: Omit<AuditEntry, 'businessId' | 'recipient'>,
): Promise<void> {
  await insertPlatformAudit(tx, newId(now), actor, action, JSON.stringify(detail), now);
}
