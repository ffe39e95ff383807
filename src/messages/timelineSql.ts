import { statement } from '../db/statement.ts';
import type { ProviderChoice } from '../outbox/record.ts';
import type { Purpose } from '../outbox/send.ts';
import type { RefusalFacts } from './delivery.ts';
import { PLANNED_AT } from './plansSql.ts';
import type { SendSchedule } from './upcoming.ts';

/** All rows about a message. Times are text, since each part is JSON. */
export interface TimelineRow extends RefusalFacts {
  opened_at: Date | null;
  obsoleted_at: Date | null;
  retracted_at: Date | null;
  scheduled_for: Date | null;
  /** Who made the message, as `actor`s are written; null: not known. */
  pushed_by: string | null;
  sends: TimelineSend[];
  history: { type: string; detail: string | null; send_id: string | null; at: string }[];
}

export interface TimelineSend extends SendSchedule {
  id: string;
  purpose: Purpose;
  reason: string | null;
  error_code: string | null;
  attempts: number;
  credits: number;
  fallback_of: string | null;
  created_at: string;
  submitted_at: string | null;
  last_status_at: string | null;
  tried: TimelineAttempt[];
  ledger: { kind: 'charge' | 'refund'; amount: number; at: string }[];
}

export interface TimelineAttempt extends ProviderChoice {
  attempt: number;
  outcome: 'accepted' | 'refused' | 'not_taken' | 'unknown';
  error_code: string | null;
  provider: string;
  started_at: string;
  ended_at: string;
}

/** One message with its sends, their attempts and credits, and its history: each part is found by index. */
export const readTimeline = statement<[businessId: string, messageId: string], TimelineRow>(`
  select m.created_at, m.opened_at, m.obsoleted_at, m.retracted_at, m.scheduled_for, m.pushed_by, m.sms_skipped, m.whatsapp_skipped,
    coalesce((select json_agg(s) from (
      select s.id, s.channel, s.purpose, s.state, s.reason, s.error_code, s.attempts, s.credits, s.country, s.escalate_minutes, s.fallback_of,
        s.deferred_from, s.created_at, s.submitted_at, s.last_status_at, ${PLANNED_AT} as due_at,
        coalesce((select json_agg(a order by a.attempt) from (
          select attempt, outcome, error_code, provider, chosen_because, passed_over, started_at, ended_at from send_attempts
          where business_id = $1 and send_id = s.id) a), '[]') as tried,
        coalesce((select json_agg(l) from (
          select kind, amount, at from credit_ledger where business_id = $1 and send_id = s.id) l), '[]') as ledger
      from sends s where s.business_id = $1 and s.message_id = m.id) s), '[]') as sends,
    coalesce((select json_agg(e order by e.id) from (
      select id, type, detail, send_id, at from message_events
      where business_id = $1 and message_id = m.id) e), '[]') as history
  from messages m where m.business_id = $1 and m.id = $2`);
