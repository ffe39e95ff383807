import type { Queryable } from '../db/statement.ts';
import { later, SECOND } from '../kit/clock.ts';
import { recordAudit } from './audit.ts';
import { lockAllUsage } from './billingSql.ts';
import { applySettingsChange, noSuchBusiness, type Settings, type SettingsChange } from './settings.ts';
import { beginPeriod, lockSettings, rearmLowBalance, writeSettings } from './sql.ts';

/** Longer than a push takes that has read the quiet hours before the change, and writes sends after it. */
const RECHECK_AFTER_MS = 2 * SECOND;

/**
 * Writes a change and its audit entry, if anything differs; the caller records the events. No process caches settings: the
 * change is in force once the transaction commits.
 */
export async function changeSettings(
  tx: Queryable,
  now: Date,
  businessId: string,
  change: SettingsChange | ((before: Settings) => SettingsChange),
  actor: string,
) {
  // Every permit holds one of these rows, so after a pause is committed no submit begins.
  await lockAllUsage(tx, businessId);
  const [before] = await lockSettings(tx, businessId);
  if (!before) throw noSuchBusiness(businessId);
  const requested = typeof change === 'function' ? change(before) : change;
  const { after, events, periodBegins } = applySettingsChange(before, requested, now);
  const detail = differences(before, after);
  if (Object.keys(detail).length === 0) return { after, changed: false, events };

  await writeSettings(tx, after.id, JSON.stringify(after), later(now, RECHECK_AFTER_MS));
  await rearmLowBalance(tx, businessId, after.lowBalanceThreshold);
  if (periodBegins) await beginPeriod(tx, businessId);
  await recordAudit(tx, now, { businessId, actor, action: 'settings.changed', detail });
  return { after, changed: true, events };
}

function differences(before: Settings, after: Settings): Record<string, { from: unknown; to: unknown }> {
  const now = new Map<string, unknown>(Object.entries(after));
  return Object.fromEntries(
    Object.entries(before)
      .map(([name, from]) => [name, { from, to: now.get(name) }] as const)
      .filter(([, { from, to }]) => JSON.stringify(from) !== JSON.stringify(to)),
  );
}
