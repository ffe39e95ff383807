import type { Queryable } from '../db/statement.ts';
import { recordPlatformAudit } from './audit.ts';
import { lockPrice, setPrice } from './sql.ts';

export const MAX_CREDITS_PER_MESSAGE = 1_000;

/** Sets what a text or WhatsApp message to a country costs. Call it in a transaction. Returns false if it cost that before. */
export async function changePrice(
  tx: Queryable,
  now: Date,
  { country, credits, actor }: { country: string; credits: number; actor: string },
): Promise<boolean> {
  const [before] = await lockPrice(tx, country);
  if (before?.credits === credits) return false;
  await setPrice(tx, country, credits);
  const detail = { country, credits: { from: before?.credits ?? null, to: credits } };
  await recordPlatformAudit(tx, now, { actor, action: 'price.set', detail });
  return true;
}
