import { describe, expect, test } from 'vitest';
import { behaviourOf } from './people.ts';

const email = (to: string, attempt = 1) => behaviourOf('email', to, attempt);
const reports = (behaviour: ReturnType<typeof email>): string[] =>
  behaviour.reports.map(({ status }) => status);

describe('the sandbox’s people by address', () => {
  test.each([
    ['ann@example.com', 'accepted', ['delivered']],
    ['silent@example.com', 'accepted', []],
    ['bounce+42@example.com', 'accepted', ['bounced']],
    ['complain@example.com', 'accepted', ['delivered', 'complained']],
    ['refuse@example.com', 'refused', []],
    ['unknown@example.com', 'unknown', []],
    ['down@example.com', 'not_taken', []],
    ['silently@example.com', 'accepted', ['delivered']],
    ['not.silent@example.com', 'accepted', ['delivered']],
    ['constructor@example.com', 'accepted', ['delivered']],
  ])('%s', (to, answer, expected) => {
    expect(email(to).answer).toBe(answer);
    expect(reports(email(to))).toEqual(expected);
  });

  test('flaky is not reachable twice, then accepts', () => {
    expect([1, 2, 3, 4].map((attempt) => email('flaky@example.com', attempt).answer)).toEqual([
      'not_taken',
      'not_taken',
      'accepted',
      'accepted',
    ]);
  });
});

describe('the sandbox’s people by number', () => {
  test.each([
    ['0123', 'accepted', ['delivered'], 'accepted', ['delivered']],
    ['9001', 'refused', [], 'refused', []],
    ['9002', 'unknown', [], 'unknown', []],
    ['9003', 'accepted', ['failed'], 'accepted', ['failed']],
    ['9004', 'accepted', [], 'accepted', []],
    ['9005', 'accepted', ['delivered'], 'refused', []],
    ['9006', 'not_taken', [], 'not_taken', []],
    ['9007', 'not_taken', [], 'not_taken', []],
    ['9008', 'accepted', ['delivered'], 'accepted', ['delivered', 'read']],
  ])('ending in %s', (ending, text, textReports, whatsapp, whatsappReports) => {
    const number = `+44770091${ending}`;
    const byText = behaviourOf('sms', number, 1);
    const byWhatsapp = behaviourOf('whatsapp', number, 1);
    expect([byText.answer, reports(byText)]).toEqual([text, textReports]);
    expect([byWhatsapp.answer, reports(byWhatsapp)]).toEqual([whatsapp, whatsappReports]);
  });

  test('reports come within a second', () => {
    const all = ['9003', '9008', '0001'].flatMap(
      (ending) => behaviourOf('whatsapp', `+4477009${ending}`, 1).reports,
    );
    expect(all.every(({ afterMs }) => afterMs < 1_000)).toBe(true);
  });
});
