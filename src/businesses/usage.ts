import { WARMUP_DAYS_MS, WARMUP_TEXTS_A_DAY } from '../config/limits.ts';
import type { Queryable } from '../db/statement.ts';
import type { SendWrite } from '../db/transaction.ts';
import { later } from '../kit/clock.ts';
import { insertUsage, lockUsage, type UsageRow, writeUsage } from './billingSql.ts';
import type { Settings } from './settings.ts';

/** The included emails of a paid period are used up. The merchant gets one event per period. */
export interface AllowanceExceeded {
  businessId: string;
  allowance: number;
  used: number;
  periodEnd: Date | null;
}

/** The counts of the day and the paid period for some businesses, whose rows are locked. */
export class Usage {
  readonly #rows: Map<string, UsageRow>;
  readonly #changed = new Set<string>();
  readonly #exceeded: AllowanceExceeded[] = [];

  constructor(rows: readonly UsageRow[], now: Date) {
    this.#rows = new Map(rows.map((row) => [row.business_id, ofToday(row, now)]));
  }

  /** Emails left today under the operator's cap; null without a cap. */
  emailsLeft({ id, dailyEmailCap }: Settings): number | null {
    return dailyEmailCap === null ? null : dailyEmailCap - this.#row(id).emails_today;
  }

  /** Texts left today under warm-up; null when the account is not in warm-up. */
  textsLeft({ id, warmup, smsEnabledAt }: Settings, now: Date): number | null {
    if (!warmup || smsEnabledAt === null || later(smsEnabledAt, WARMUP_DAYS_MS) <= now) return null;
    return WARMUP_TEXTS_A_DAY - this.#row(id).texts_today;
  }

  countText({ id }: Settings): void {
    this.#row(id).texts_today += 1;
    this.#changed.add(id);
  }

  countEmail({ id, emailAllowance, periodEnd }: Settings): void {
    const row = this.#row(id);
    row.emails_today += 1;
    row.emails_in_period += 1;
    this.#changed.add(id);
    if (emailAllowance !== null && row.emails_in_period > emailAllowance && !row.allowance_reported) {
      row.allowance_reported = true;
      this.#exceeded.push({
        businessId: id,
        allowance: emailAllowance,
        used: row.emails_in_period,
        periodEnd,
      });
    }
  }

  /** The businesses that passed their allowance since the lock. */
  get exceeded(): readonly AllowanceExceeded[] {
    return this.#exceeded;
  }

  write(send: SendWrite): void {
    const changed = [...this.#changed].map((id) => this.#row(id));
    if (changed.length > 0) send(writeUsage, JSON.stringify(changed));
  }

  #row(businessId: string): UsageRow {
    const row = this.#rows.get(businessId);
    if (!row) throw new Error(`the usage of ${businessId} is not locked`);
    return row;
  }
}

export async function lockedUsage(tx: Queryable, businessIds: readonly string[], now: Date): Promise<Usage> {
  const ids = [...new Set(businessIds)];
  let rows = await lockUsage(tx, ids);
  if (rows.length < ids.length) {
    await insertUsage(tx, ids);
    rows = await lockUsage(tx, ids);
  }
  return new Usage(rows, now);
}

/** Days are counted in UTC. */
function ofToday(row: UsageRow, now: Date): UsageRow {
  const day = now.toISOString().slice(0, 10);
  return row.day === day ? { ...row } : { ...row, day, emails_today: 0, texts_today: 0 };
}
