import { expect, test } from 'vitest';
import { NOTHING_REPORTED } from '../../../../test/support/delivery.ts';
import type { Delivery } from '../../../contract/messages.ts';
import type { StoryItem } from '../../../messages/timeline.ts';
import { channelAnswers } from './messageView.tsx';

const item = (kind: StoryItem['kind'], channel: StoryItem['channel'], says: string): StoryItem => ({
  at: '2026-08-20T10:00:00.000Z',
  kind,
  channel,
  reason: null,
  credits: null,
  says,
  code: null,
  sendId: null,
  pusher: null,
});

const DELIVERY: Delivery = {
  ...NOTHING_REPORTED,
  whatsapp: {
    status: 'delivered',
    skipped_reason: null,
    error_code: null,
    credits_charged: 1,
    submitted_at: null,
    last_status_at: null,
  },
};

test('a channel is answered by the last thing that happened to it, and by what it cost', () => {
  const items = [
    item('pushed', null, 'Pushed.'),
    item('skipped', 'sms', 'No SMS: stopped.'),
    item('planned', 'whatsapp', 'Planned.'),
    item('planned', 'email', 'An email was planned.'),
    item('delivered', 'whatsapp', 'Delivered.'),
    item('credits_charged', 'whatsapp', '1 credit.'),
    item('opened', null, 'Opened.'),
  ];
  expect(channelAnswers(items, DELIVERY)).toEqual([
    { channel: 'email', says: 'An email was planned.', code: null },
    { channel: 'sms', says: 'No SMS: stopped.', code: null },
    { channel: 'whatsapp', says: 'Delivered. 1 credit was charged.', code: null },
  ]);
});

test('a channel that nobody asked for has no answer', () => {
  expect(channelAnswers([item('pushed', null, 'Pushed.')], DELIVERY)).toEqual([]);
});
