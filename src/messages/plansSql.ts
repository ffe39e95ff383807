import { statement } from '../db/statement.ts';
import type { RefusalFacts } from './delivery.ts';
import type { SendSchedule } from './upcoming.ts';

/** When a send `s` goes out, or is decided about. While a worker has it, `due_at` is the end of the worker's lease. */
export const PLANNED_AT = 'case when s.lease is null then s.due_at end';

interface PlanRow extends RefusalFacts {
  id: string;
  planned: SendSchedule[];
}

/** Of each message, the texts that were refused and the sends that wait, each by one index lookup. */
export const plansOf = statement<[businessId: string, ids: readonly string[]], PlanRow>(`
  select m.id, m.created_at, m.sms_skipped, m.whatsapp_skipped, h.history, p.planned
  from unnest($2::text[]) requested (id)
  cross join lateral (select * from messages where business_id = $1 and id = requested.id offset 0) m
  cross join lateral (
    select coalesce(json_agg(json_build_object('type', e.type, 'detail', e.detail, 'at', e.at)), '[]') as history
    from message_events e
    where e.business_id = $1 and e.message_id = m.id and e.type in ('sms.skipped', 'whatsapp.skipped')) h
  cross join lateral (
    select coalesce(json_agg(json_build_object('channel', s.channel, 'state', s.state,
      'escalate_minutes', s.escalate_minutes, 'due_at', ${PLANNED_AT}, 'deferred_from', s.deferred_from,
      'country', s.country)), '[]') as planned
    from sends s where s.business_id = $1 and s.message_id = m.id and s.state in ('held', 'queued')) p`);
