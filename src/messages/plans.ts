import type { ListedMessage } from '../contract/messages.ts';
import type { Queryable } from '../db/statement.ts';
import { refusalsOf } from './delivery.ts';
import { type ListQuery, readMessagePage } from './list.ts';
import { listedByIds } from './listSql.ts';
import { type Outcomes, outcomesOf } from './outcomes.ts';
import { plansOf } from './plansSql.ts';
import { listedMessage, viewedMessage } from './read.ts';
import { type ListedRow, messagesByKey } from './sql.ts';
import { type UpcomingSend, upcomingSends } from './upcoming.ts';

/** A message as the shop's own people see it: with what its pushes refused, what became of it, and what goes out later. */
export interface MessageWithPlan extends ListedMessage {
  outcomes: Outcomes;
  upcoming: UpcomingSend[];
}

export async function listWithPlans(db: Queryable, businessId: string, query: ListQuery, now: Date) {
  const { rows, next_cursor } = await readMessagePage(db, businessId, query);
  return { items: await addPlans(db, businessId, rows, now), next_cursor };
}

/** The messages of these ids that are still there, newest first. */
export const listByIds = async (db: Queryable, businessId: string, ids: readonly string[], now: Date) =>
  addPlans(db, businessId, await listedByIds(db, businessId, ids), now);

/** `json`: as the API answers. */
export async function viewWithPlan(db: Queryable, businessId: string, id: string, now: Date) {
  const [row] = await messagesByKey(db, [businessId], [id]);
  const [message] = row ? await addPlans(db, businessId, [row], now) : [];
  return row && message ? { ...message, body: row.body, json: viewedMessage(row) } : null;
}

async function addPlans(db: Queryable, businessId: string, rows: readonly ListedRow[], now: Date) {
  const ids = rows.map(({ id }) => id);
  const plans = new Map((await plansOf(db, businessId, ids)).map((plan) => [plan.id, plan]));
  return rows.map((row) => {
    const plan = plans.get(row.id);
    const message = listedMessage(row, plan ? refusalsOf(plan) : []);
    return {
      ...message,
      outcomes: outcomesOf(message.delivery, row.sends),
      upcoming: upcomingSends(plan?.planned ?? [], now),
    };
  });
}
