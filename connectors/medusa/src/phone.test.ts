import { expect, test } from 'vitest';
import { internationalPhone } from './phone.ts';

test.each([
  ['5555 0134', 'EE', '+37255550134'],
  ['0612345678', 'NL', '+31612345678'],
  ['07400 123456', 'GB', '+447400123456'],
  ['+358 40 123 4567', 'EE', '+358401234567'],
  ['0037255550134', null, '+37255550134'],
  ['5555 0134', null, null],
  ['5555 0134', 'XX', null],
  ['12', 'EE', null],
  ['call me', 'EE', null],
  ['9'.repeat(60), 'EE', null],
])('%s in %s is %s', (text, country, number) => {
  expect(internationalPhone(text, country)).toBe(number);
});
