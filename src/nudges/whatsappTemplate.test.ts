import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ORDER_STATUSES } from '../contract/orderStatuses.ts';
import type { OrderNudge } from './orderStatus.ts';
import { whatsappTemplate, whatsappTemplates } from './whatsappTemplate.ts';

const link = 'https://waypost.example/i/4hX0r7Qm2sT9vLcK8dWz1A';
const nudge = (changes: Partial<OrderNudge> = {}): OrderNudge => ({
  businessName: 'Acme',
  reference: '#1001',
  orderStatus: 'shipped',
  link,
  ...changes,
});

test('a shipped order is announced with the business, the order number and the inbox link', () => {
  expect(whatsappTemplate(nudge())).toEqual({
    name: 'waypost_order_shipped_v1',
    language: 'en',
    parameters: ['Acme', '#1001', link],
    text: `Update from Acme: your order #1001 has shipped.\n\nRead it in your inbox: ${link}\n\nReply STOP to stop these messages.`,
  });
});

test('every order status has its own template', () => {
  const names = ORDER_STATUSES.map((orderStatus) => whatsappTemplate(nudge({ orderStatus }))?.name);
  expect(names).toEqual(whatsappTemplates.map((template) => template.name));
  expect(new Set(names).size).toBe(ORDER_STATUSES.length);
});

test('every template is one the platform would accept', () => {
  for (const { name, body, example } of whatsappTemplates) {
    expect(name).toMatch(/^[a-z0-9_]{1,512}$/);
    expect(body.match(/\{\{\d\}\}/g)).toEqual(['{{1}}', '{{2}}', '{{3}}']);
    expect(body).not.toMatch(/^\{\{|\}\}$/);
    expect(body.length).toBeLessThanOrEqual(1_024);
    expect(example).toHaveLength(3);
  }
});

test('a name in its own script is shown as it is', () => {
  expect(whatsappTemplate(nudge({ businessName: 'Кафе  Щука' }))?.parameters[0]).toBe('Кафе Щука');
});

describe('nothing is sent on WhatsApp', () => {
  test.each<[string, Partial<OrderNudge>]>([
    ['without a reference', { reference: null }],
    ['without an order status', { orderStatus: null }],
    ['with a status nobody knows', { orderStatus: 'returned' }],
    ['with a reference that could become a link', { reference: 'bit.ly/1' }],
    ['with a reference too long to show', { reference: 'x'.repeat(33) }],
    ['from a business whose name could become a link', { businessName: 'Amazon.com' }],
    ['from a business without a name', { businessName: ' ' }],
  ])('%s', (_case, changes) => {
    expect(whatsappTemplate(nudge(changes))).toBeNull();
  });
});

test('no parameter holds what the platform refuses: line breaks, tabs, runs of spaces, nothing at all', () => {
  const unit = fc.constantFrom(...'aÉ漢1 \n\t.,&{}$');
  const text = fc.string({ unit, maxLength: 40 });
  fc.assert(
    fc.property(text, text, (businessName, reference) => {
      const filled = whatsappTemplate(nudge({ businessName, reference }));
      for (const parameter of filled?.parameters ?? [])
        expect(parameter).toMatch(/^(?! )(?:(?!\s{2})[^\n\t])+$/);
    }),
    { numRuns: 2_000 },
  );
});
