import { expect, test } from 'vitest';
import { linkIn, recipientAsStored } from './reads.ts';

const PUBLIC = 'https://waypost.example';
const TOKEN = '4hX0r7Qm2sT9vLcK8dWz1A';

test.each([
  [`Acme: your order has shipped. Details: ${PUBLIC}/i/${TOKEN}`, `${PUBLIC}/i/${TOKEN}`],
  [`Read it: ${PUBLIC}/i/${TOKEN}\n\nReply STOP`, `${PUBLIC}/i/${TOKEN}`],
  [`Elsewhere: https://evil.example/i/${TOKEN}`, null],
  [`Too short: ${PUBLIC}/i/abc`, null],
  ['No link at all.', null],
])('the link into the inbox is found in %s', (text, link) => {
  expect(linkIn(text, PUBLIC)).toBe(link);
});

test.each([
  ['Ann@Example.com ', 'ann@example.com'],
  ['+37255550134', '+37255550134'],
  [' 37255550134', '+37255550134'],
  ['37255550134', '+37255550134'],
])('%s is looked for as it is stored', (asked, stored) => {
  expect(recipientAsStored(asked)).toBe(stored);
});
