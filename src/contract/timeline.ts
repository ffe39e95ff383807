import { channels } from './channels.ts';
import { Component, Int, List, Nullable, OneOf, Text, Timestamp, type ValueOf } from './schema.ts';

export const timelineKinds = [
  'pushed',
  'updated',
  'obsoleted',
  'retracted',
  'opened',
  'planned',
  'skipped',
  'armed',
  'rescheduled',
  'cancelled',
  'submitted',
  'retried',
  'accepted',
  'delivered',
  'read',
  'bounced',
  'complained',
  'failed',
  'rejected',
  'fallback_sent',
  'resent',
  'credits_reserved',
  'credits_charged',
  'credits_refunded',
  'credits_released',
] as const;

export type TimelineKind = (typeof timelineKinds)[number];

export const TimelineItem = Component('TimelineItem', {
  at: Timestamp(),
  kind: OneOf(timelineKinds),
  channel: Nullable(OneOf(channels), 'null: it is about the message.'),
  reason: Nullable(Text(), 'The gate, the cause or the error code, where there is one.'),
  credits: Nullable(Int(), 'For the four `credits_…` kinds.'),
  says: Text('The same as a sentence, in English.'),
});
export type TimelineItem = ValueOf<typeof TimelineItem>;

export const Timeline = Component('Timeline', { items: List(TimelineItem) });
export type Timeline = ValueOf<typeof Timeline>;
