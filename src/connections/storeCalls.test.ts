import { expect, test } from 'vitest';
import { outcomeOf, type Pushed } from './storeCalls.ts';

const nothing: Pushed = { messageId: null, refusal: null };
const pushed = (messageId: string): Pushed => ({ messageId, refusal: null });
const refused: Pushed = { messageId: null, refusal: 'business.inactive' };

test.each([
  ['a message', { messages: pushed('m') }, null, ['pushed', null, 'm']],
  [
    'a message with a link left out',
    { messages: pushed('m') },
    'bad_tracking_url',
    ['pushed', 'bad_tracking_url', 'm'],
  ],
  [
    'a message, and a milestone that is refused',
    { messages: pushed('m'), milestone: refused },
    null,
    ['pushed', 'business.inactive', 'm'],
  ],
  ['a milestone', { milestone: pushed('e') }, null, ['pushed', null, 'e']],
  ['a parcel that is added quietly', { quiet: pushed('q') }, null, ['pushed', 'quiet', 'q']],
  [
    'a parcel that is added quietly without its link',
    { quiet: pushed('q') },
    'bad_tracking_url',
    ['pushed', 'bad_tracking_url', 'q'],
  ],
  ['a parcel that cannot be added', { quiet: refused }, null, ['refused', 'business.inactive', null]],
  [
    'a message that is refused',
    { messages: refused },
    'bad_tracking_url',
    ['refused', 'business.inactive', null],
  ],
  ['nothing', {}, null, ['nothing_to_tell', 'no_change', null]],
] as const)('the log shows what became of %s', (_, some, leftOut, [outcome, reason, messageId]) => {
  const all = { messages: nothing, milestone: nothing, quiet: nothing, ...some };
  expect(outcomeOf(all, 'no_change', leftOut)).toEqual({ outcome, reason, messageId });
});
