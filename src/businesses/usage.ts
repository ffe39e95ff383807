import { WARMUP_DAYS_MS, WARMUP_TEXTS_A_DAY } from '../config/limits.ts';
import { LostRace } from '../db/errors.ts';
import type { Queryable } from '../db/statement.ts';
import type { SendWrite } from '../db/transaction.ts';
import { later } from '../kit/clock.ts';
import { dayOf } from '../usage/counters.ts';
import {
  lockUsage,
  markAllowanceReported,
  readUsage,
  USAGE_SLOTS,
  type UsageRow,
  writeUsage,
} from './billingSql.ts';
import type { Settings } from './settings.ts';

/** The included emails of a paid period are used up. The merchant gets one event per period. */
export interface AllowanceExceeded {
  businessId: string;
  allowance: number;
  used: number;
  periodEnd: Date | null;
}

interface Counted {
  emails: number;
  texts: number;
}

/** The counts of the day and the paid period for some businesses, and what this transaction adds to them. */
export class Usage {
  readonly #rows: Map<string, UsageRow>;
  readonly #day: string;
  readonly #slot: number;
  readonly #added = new Map<string, Counted>();
  readonly #exceeded: AllowanceExceeded[] = [];

  /** `slot`: the one that this transaction has locked. */
  constructor(rows: readonly UsageRow[], now: Date, slot = 0) {
    this.#rows = new Map(rows.map((row) => [row.business_id, { ...row }]));
    this.#day = dayOf(now);
    this.#slot = slot;
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
    this.#add(id).texts += 1;
  }

  countEmail({ id, emailAllowance, periodEnd }: Settings): void {
    const row = this.#row(id);
    row.emails_today += 1;
    row.emails_in_period += 1;
    this.#add(id).emails += 1;
    if (emailAllowance !== null && row.emails_in_period > emailAllowance && !row.allowance_reported) {
      row.allowance_reported = true;
      const used = row.emails_in_period;
      this.#exceeded.push({ businessId: id, allowance: emailAllowance, used, periodEnd });
    }
  }

  /** The businesses that passed their allowance since the lock. */
  get exceeded(): readonly AllowanceExceeded[] {
    return this.#exceeded;
  }

  write(send: SendWrite): void {
    const added = [...this.#added].map(([business_id, counted]) => ({ business_id, ...counted }));
    if (added.length > 0) send(writeUsage, JSON.stringify(added), this.#day, this.#slot);
    const reported = this.#exceeded.map(({ businessId }) => businessId);
    if (reported.length > 0) send(markAllowanceReported, reported);
  }

  #add(businessId: string): Counted {
    const counted = this.#added.get(businessId) ?? { emails: 0, texts: 0 };
    this.#added.set(businessId, counted);
    return counted;
  }

  #row(businessId: string): UsageRow {
    const row = this.#rows.get(businessId);
    if (!row) throw new Error(`the usage of ${businessId} is not locked`);
    return row;
  }
}

/**
 * Limits are exact. A permit that holds one slot may miss what those in the other slots have not committed yet, a group each:
 * it may only count where that cannot pass a limit. Otherwise it must hold every slot, and so has nobody beside it.
 */
export async function lockedUsage(tx: Queryable, businessIds: readonly string[], now: Date): Promise<Usage> {
  const ids = [...new Set(businessIds)];
  const day = dayOf(now);
  const slot = nextSlot();
  const [locked, rows] = await Promise.all([lockUsage(tx, ids, day, slot), readUsage(tx, ids, day)]);
  for (const { business_id, near_limit } of rows) {
    const slots = locked.filter((slot) => slot.business_id === business_id).length;
    if (near_limit && slots < USAGE_SLOTS)
      throw new LostRace('a limit came near while the usage was being locked');
  }
  return new Usage(rows, now, slot);
}

let lastSlot = process.pid;
/** In turn, so that permits of one process that run at the same time have different slots. */
function nextSlot(): number {
  lastSlot = (lastSlot + 1) % USAGE_SLOTS;
  return lastSlot;
}
