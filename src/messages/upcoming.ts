import type { Channel } from '../contract/channels.ts';
import { clockIn } from '../nudges/localTime.ts';
import { isWaiting, type SendState } from '../outbox/states.ts';

/** What a send's plan is made of. Times are text, as the JSON of the database writes them. */
export interface SendSchedule {
  channel: Channel;
  state: SendState;
  /** Set where the send waits for the message to stay unread for so long. */
  escalate_minutes: number | null;
  /** Null also while a worker has it. */
  due_at: string | null;
  /** Set where it waits for the end of quiet hours. */
  deferred_from: string | null;
  /** The country of the number; null: an email. */
  country: string | null;
}

export interface UpcomingSend {
  channel: Channel;
  at: string;
  /** What it still takes: the message is unread then, or the WhatsApp message has not arrived. Null: nothing. */
  condition: 'unread' | 'whatsapp_fails' | null;
  /** The end of the quiet hours that it waits for, such as `08:00 in Estonia`; null: it waits for none. */
  quietUntil: string | null;
}

/** The sends that wait for a moment that is still to come. */
export const upcomingSends = (sends: readonly SendSchedule[], now: Date): UpcomingSend[] =>
  sends.flatMap(({ channel, state, escalate_minutes, due_at, deferred_from, country }) => {
    if (!isWaiting(state) || due_at === null || new Date(due_at) <= now) return [];
    const condition = state === 'queued' ? null : escalate_minutes === null ? 'whatsapp_fails' : 'unread';
    const at = new Date(due_at);
    const quietUntil = deferred_from === null || country === null ? null : clockIn(country, at);
    return [{ channel, at: at.toISOString(), condition, quietUntil }];
  });
