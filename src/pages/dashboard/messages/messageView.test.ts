import { expect, test } from 'vitest';
import type { TimelineItem } from '../../../contract/messages.ts';
import { channelAnswers } from './messageView.tsx';

const item = (kind: TimelineItem['kind'], channel: TimelineItem['channel'], says: string): TimelineItem => ({
  at: '2026-08-20T10:00:00.000Z',
  kind,
  channel,
  reason: null,
  credits: null,
  says,
});

test('a channel is answered by the last thing that happened to it, which is not its price', () => {
  const items = [
    item('pushed', null, 'Pushed.'),
    item('skipped', 'sms', 'No text: stopped.'),
    item('planned', 'whatsapp', 'Planned.'),
    item('planned', 'email', 'An email was planned.'),
    item('delivered', 'whatsapp', 'Delivered.'),
    item('credits_charged', 'whatsapp', '1 credit.'),
    item('opened', null, 'Opened.'),
  ];
  expect(channelAnswers(items)).toEqual([
    { channel: 'email', says: 'An email was planned.' },
    { channel: 'sms', says: 'No text: stopped.' },
    { channel: 'whatsapp', says: 'Delivered.' },
  ]);
});

test('a channel that nobody asked for has no answer', () => {
  expect(channelAnswers([item('pushed', null, 'Pushed.')])).toEqual([]);
});
