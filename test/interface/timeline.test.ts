import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type TimelineItem, timelineKinds } from '../../src/contract/messages.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop, statusAndCode } from '../support/shop.ts';
import { FULL_PUSH } from './channelOutcomes.ts';
import { inShort, openFromEmail, reportOn, textStop, timelineItems } from './happenings.ts';

let service: TestService;
/** Every item that any test read, for the test of all kinds. */
const seen: TimelineItem[] = [];

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

let read: TimelineItem[] = [];
afterEach(() => {
  seen.push(...read);
  read = [];
});

/** The timeline in short, oldest first; the whole of it is kept for the sentences. */
async function happened(shop: Shop, id: string): Promise<string[]> {
  read = await timelineItems(shop, id);
  expect(read.map(({ at }) => at)).toEqual(read.map(({ at }) => at).toSorted());
  return inShort(read);
}

const said = (kind: string, channel: string | null = null): string | undefined =>
  read.find((item) => item.kind === kind && item.channel === channel)?.says;

/** By the service's clock, which the tests move. */
const inOneHour = async (): Promise<string> =>
  new Date((await service.advance({})).getTime() + 3_600_000).toISOString();

const SMS = { ...FULL_PUSH, channels: ['sms'] };
const WHATSAPP = { ...FULL_PUSH, channels: ['whatsapp'] };
const ESCALATING = { ...SMS, escalate_if_unread_after_minutes: 60 };

describe('the message', () => {
  test('is pushed, its email delivered, and opened', async () => {
    const shop = await service.business();
    const { id } = await shop.pushed();
    await service.advance({ seconds: 2 });
    await openFromEmail(service, id);
    expect(await happened(shop, id)).toEqual([
      'pushed',
      'planned email',
      'submitted email',
      'accepted email',
      'delivered email',
      'opened',
    ]);
    expect(said('opened')).toBe('The customer opened the message.');
    expect(said('delivered', 'email')).toBe('The email was delivered.');
  });

  test('is updated, and the newer nudge takes the place of the older', async () => {
    const shop = await service.business();
    const scheduled = { kind: 'updateable', send_at: await inOneHour() };
    const { id } = await shop.pushed(scheduled);
    await shop.pushed({ ...scheduled, body: 'Tomorrow.', notify: true, channels: ['sms'] });
    expect(await happened(shop, id)).toEqual([
      'pushed',
      'planned email',
      'updated',
      'skipped sms no_phone',
      'cancelled email superseded',
      'planned email',
    ]);
    expect(said('updated')).toBe('The message was updated.');
    expect(said('cancelled', 'email')).toBe('A newer email took the place of this one.');
    expect(said('skipped', 'sms')).toBe('No SMS: the customer’s number is not known.');
  });

  test('is retracted, and what waited is cancelled and costs nothing', async () => {
    const shop = await service.business({ credits: 5 });
    const { id } = await shop.pushed({ ...SMS, send_at: await inOneHour() });
    await shop.post(`/api/v1/messages/${id}/retract`);
    expect(await happened(shop, id)).toEqual([
      'pushed',
      'planned email',
      'planned sms',
      'credits_reserved sms 1',
      'retracted',
      'cancelled email message_retracted',
      'cancelled sms message_retracted',
      'credits_released sms 1',
    ]);
    expect(said('retracted')).toBe('The message was retracted.');
    expect(said('cancelled', 'sms')).toBe('No SMS: the message was retracted first.');
    expect(said('credits_reserved', 'sms')).toBe('1 credit set aside for the SMS.');
    expect(said('credits_released', 'sms')).toBe('1 credit no longer set aside: the SMS does not go out.');
  });

  test('is replaced by a newer one', async () => {
    const shop = await service.business();
    const { id } = await shop.pushed({ send_at: await inOneHour() });
    await shop.pushed({ obsoletes: [id] });
    expect(await happened(shop, id)).toEqual([
      'pushed',
      'planned email',
      'obsoleted',
      'cancelled email message_obsolete',
    ]);
    expect(said('obsoleted')).toBe('A newer message replaced this one.');
  });
});

describe('an email', () => {
  test.each([
    [
      'bounce@example.com',
      'bounced email',
      'The email bounced: the customer’s address did not take it. There is no mailbox with this address.',
    ],
    ['complain@example.com', 'complained email', 'The customer marked the email as spam.'],
    ['refuse@example.com', 'failed email esp_refused', 'The provider refused the email.'],
    [
      'unknown@example.com',
      'failed email outcome_unknown',
      'The outcome is unknown: the provider did not answer. The email may or may not have gone out, and is not sent again.',
    ],
  ])('to %s ends as %s', async (recipient_email, end, sentence) => {
    const shop = await service.business();
    const { id } = await shop.pushed({ recipient_email });
    await service.advance({ seconds: 5 });
    expect((await happened(shop, id)).at(-1)).toBe(end);
    expect(read.at(-1)?.says).toBe(sentence);
  });

  test('that the provider does not take is tried again', async () => {
    const shop = await service.business();
    const { id } = await shop.pushed({ recipient_email: 'flaky@example.com' });
    await service.advance({ minutes: 10 });
    const kinds = await happened(shop, id);
    expect(kinds.filter((kind) => kind.startsWith('submitted'))).toHaveLength(3);
    expect(kinds.filter((kind) => kind.startsWith('retried email'))).toHaveLength(2);
    expect(kinds.at(-1)).toBe('delivered email');
    expect(said('retried', 'email')).toBe(
      'The provider did not take the email; it is tried again. The provider could not be reached.',
    );
  });

  test('is skipped at the push, with the gate that stopped it', async () => {
    const shop = await service.business();
    await service.change(shop, { paused: true });
    const { id } = await shop.pushed({ channels: ['sms'] });
    expect(await happened(shop, id)).toEqual([
      'pushed',
      'skipped sms sending_paused',
      'skipped email sending_paused',
    ]);
    expect(said('skipped', 'email')).toBe('No email: sending was paused for this account.');
  });

  test('is skipped when it is due, with the gate that stopped it', async () => {
    const shop = await service.business();
    const { id } = await shop.pushed({ send_at: await inOneHour() });
    await service.change(shop, { paused: true });
    await service.advance({ hours: 2 });
    expect(await happened(shop, id)).toEqual(['pushed', 'planned email', 'skipped email sending_paused']);
  });
});

describe('a text', () => {
  test('is set aside for, charged, accepted and delivered', async () => {
    const shop = await service.business({ credits: 5 });
    const { id } = await shop.pushed(SMS);
    await service.advance({ seconds: 2 });
    expect((await happened(shop, id)).filter((line) => line.includes('sms'))).toEqual([
      'planned sms',
      'credits_reserved sms 1',
      'credits_charged sms 1',
      'submitted sms',
      'accepted sms',
      'delivered sms',
    ]);
    expect(said('planned', 'sms')).toBe('An SMS to the customer was planned.');
    expect(said('credits_charged', 'sms')).toBe('1 credit charged for the SMS.');
  });

  test('that the provider refuses is rejected, and its credit refunded', async () => {
    const shop = await service.business({ credits: 5 });
    const { id } = await shop.pushed({ ...SMS, recipient_phone: '+37255559001' });
    await service.advance({ seconds: 2 });
    expect((await happened(shop, id)).filter((line) => line.includes('sms')).slice(-3)).toEqual([
      'submitted sms',
      'rejected sms sms.submit_refused',
      'credits_refunded sms 1',
    ]);
    expect(said('rejected', 'sms')).toBe('The provider refused the SMS.');
    expect(said('credits_refunded', 'sms')).toBe('1 credit refunded: the SMS did not go out.');
  });

  test('that does not arrive has failed with the error code', async () => {
    const shop = await service.business({ credits: 5 });
    const { id } = await shop.pushed({ ...SMS, recipient_phone: '+37255559003' });
    await service.advance({ seconds: 2 });
    expect(await happened(shop, id)).toContain('failed sms handset_unreachable');
    expect(said('failed', 'sms')).toBe(
      'The SMS failed: it could not be delivered. The phone was off or out of reach.',
    );
  });

  test('with a lost answer has failed, and a later report corrects it', async () => {
    const shop = await service.business({ credits: 5 });
    const { id } = await shop.pushed({ ...SMS, recipient_phone: '+37255559002' });
    await service.advance({ seconds: 2 });
    await reportOn(service, id, 'sms', 'delivered');
    expect((await happened(shop, id)).filter((line) => line.includes('sms')).slice(-2)).toEqual([
      'failed sms sms.submit_outcome_unknown',
      'delivered sms',
    ]);
  });

  test('is called for again by a resend', async () => {
    const shop = await service.business({ credits: 0 });
    const { id } = await shop.pushed(SMS);
    await shop.post(`/api/v1/messages/${id}/sms`);
    await service.pool.query('update credit_accounts set balance = 3 where business_id = $1', [
      shop.businessId,
    ]);
    await shop.post(`/api/v1/messages/${id}/sms`);
    await service.advance({ seconds: 2 });
    expect((await happened(shop, id)).filter((line) => line.includes('sms'))).toEqual([
      'skipped sms insufficient_credit',
      'skipped sms insufficient_credit',
      'resent sms',
      'credits_reserved sms 1',
      'credits_charged sms 1',
      'submitted sms',
      'accepted sms',
      'delivered sms',
    ]);
    expect(said('resent', 'sms')).toBe('The SMS was asked for again.');
    expect(said('skipped', 'sms')).toBe('No SMS: there was not enough credit.');
  });
});

describe('a text that waits until the message stays unread', () => {
  test('is not sent when the customer opens the message in time', async () => {
    const shop = await service.business({ credits: 5 });
    const { id } = await shop.pushed(ESCALATING);
    await service.advance({ minutes: 47 });
    await openFromEmail(service, id);
    const lines = await happened(shop, id);
    expect(lines.slice(0, 3)).toEqual(['pushed', 'planned email', 'armed sms']);
    expect(lines.slice(-2)).toEqual(['opened', 'cancelled sms opened_first']);
    expect(said('armed', 'sms')).toBe('An SMS was held back, to go only if the message stays unread.');
    expect(said('cancelled', 'sms')).toBe(
      'No SMS: the customer opened the message 12 minutes before its deadline.',
    );
  });

  test('is planned at its deadline', async () => {
    const shop = await service.business({ credits: 5 });
    const { id } = await shop.pushed(ESCALATING);
    await service.advance({ minutes: 61 });
    expect((await happened(shop, id)).filter((line) => line.includes('sms'))).toEqual([
      'armed sms',
      'planned sms',
      'credits_reserved sms 1',
      'credits_charged sms 1',
      'submitted sms',
      'accepted sms',
      'delivered sms',
    ]);
    expect(said('planned', 'sms')).toBe(
      'The message was still unread at its deadline, so an SMS was planned.',
    );
  });

  test('is skipped when the customer has texted STOP meanwhile', async () => {
    const shop = await service.business({ credits: 5 });
    const { id } = await shop.pushed(ESCALATING);
    await service.advance({ seconds: 2 });
    await textStop(service, shop, FULL_PUSH.recipient_phone);
    expect((await happened(shop, id)).at(-1)).toBe('skipped sms stopped');
    expect(read.at(-1)?.says).toBe('No SMS: the customer has stopped SMS messages.');
  });

  test('waits at its deadline for an email that has not gone out, and is due when it has failed', async () => {
    const shop = await service.business({ credits: 5 });
    const { id } = await shop.pushed({
      ...ESCALATING,
      recipient_email: 'down@example.com',
      escalate_if_unread_after_minutes: 15,
    });
    await service.advance({ minutes: 45 });
    const lines = (await happened(shop, id)).filter((line) => line.includes('sms'));
    expect(lines.slice(0, 4)).toEqual(['armed sms', 'rescheduled sms', 'rescheduled sms', 'planned sms']);
    const [waits, moves] = read.filter(({ kind }) => kind === 'rescheduled');
    expect(waits?.says).toBe(
      'The SMS’s deadline came before the email had gone out, so it waits for the email.',
    );
    expect(moves?.says).toMatch(/^The SMS’s deadline moved to .+ UTC, because the email had not gone out\.$/);
  });
});

describe('a WhatsApp message', () => {
  test('is delivered and read', async () => {
    const shop = await service.business({ credits: 5 });
    const { id } = await shop.pushed({ ...WHATSAPP, recipient_phone: '+37255559008' });
    await service.advance({ seconds: 2 });
    expect((await happened(shop, id)).filter((line) => line.includes('whatsapp')).slice(-2)).toEqual([
      'delivered whatsapp',
      'read whatsapp',
    ]);
    expect(said('read', 'whatsapp')).toBe('The customer read the WhatsApp message.');
  });

  test('that arrives makes its fallback text needless', async () => {
    const shop = await service.business({ credits: 5 });
    const { id } = await shop.pushed({ ...WHATSAPP, sms_if_whatsapp_fails: true });
    await service.advance({ seconds: 2 });
    const lines = (await happened(shop, id)).filter((line) => line.includes('sms'));
    expect(lines).toEqual(['armed sms', 'cancelled sms whatsapp_sufficed']);
    expect(said('armed', 'sms')).toBe('An SMS was held back, to go only if the WhatsApp message fails.');
    expect(said('cancelled', 'sms')).toBe('No SMS: the WhatsApp message arrived.');
  });

  test('that cannot reach the number is replaced by a text', async () => {
    const shop = await service.business({ credits: 5 });
    const { id } = await shop.pushed({
      ...WHATSAPP,
      recipient_phone: '+37255559005',
      sms_if_whatsapp_fails: true,
    });
    await service.advance({ seconds: 10 });
    const lines = await happened(shop, id);
    expect(lines).toContain('rejected whatsapp not_reachable');
    expect(lines.filter((line) => line.includes('sms')).slice(0, 3)).toEqual([
      'armed sms',
      'fallback_sent sms',
      'credits_reserved sms 1',
    ]);
    expect(said('fallback_sent', 'sms')).toBe(
      'An SMS takes the place of the WhatsApp message, which did not reach the customer.',
    );
  });

  test('that a stop prevents needs no fallback text', async () => {
    const shop = await service.business({ credits: 5 });
    const { id } = await shop.pushed({
      ...WHATSAPP,
      send_at: await inOneHour(),
      sms_if_whatsapp_fails: true,
    });
    await service.change(shop, { whatsappMode: 'off' });
    await service.advance({ hours: 2 });
    expect((await happened(shop, id)).filter((line) => /sms|skipped/.test(line))).toEqual([
      'armed sms',
      'skipped whatsapp whatsapp_disabled',
      'cancelled sms',
    ]);
    expect(said('cancelled', 'sms')).toBe(
      'No SMS: the WhatsApp message that it would have stood in for was not sent.',
    );
  });
});

describe('the answer', () => {
  test('has had every kind in the tests above, each with its sentence', () => {
    expect(timelineKinds.filter((kind) => !seen.some((item) => item.kind === kind))).toEqual([]);
    for (const { says } of seen) expect(says).toMatch(/^[A-Z0-9][^{}]+\.$/);
  });

  test('names no address, number or text', () => {
    const text = JSON.stringify(seen);
    for (const name of ['@', '3725', 'warehouse', '#1001']) expect(text).not.toContain(name);
  });

  test('has credits on the four credit kinds only', () => {
    for (const { kind, credits } of seen)
      expect([kind, credits !== null]).toEqual([kind, kind.startsWith('credits_')]);
  });

  test('is gone after an erasure, with the message', async () => {
    const shop = await service.business();
    // Nothing is reported of this address, so nothing happens to the messages meanwhile.
    const push = { recipient_email: 'silent@example.com', kind: 'updateable' };
    const { id } = await shop.pushed(push);
    await shop.pushed({ ...push, channels: ['sms'], notify: true });
    const report = expectStatus<{ message_events_deleted: number }>(
      200,
      await shop.post('/api/v1/recipients/silent@example.com/erase'),
    );
    // The steps that only the timeline shows are deleted, too, and not counted as events.
    expect(report.message_events_deleted).toBe(0);
    expect(statusAndCode(await shop.get(`/api/v1/messages/${id}/timeline`))).toBe('404 message.not_found');
    const { rows } = await service.pool.query('select from message_events where business_id = $1', [
      shop.businessId,
    ]);
    expect(rows).toEqual([]);
  });

  test('an unknown message has no timeline', async () => {
    const shop = await service.business();
    expect(statusAndCode(await shop.get('/api/v1/messages/nothing/timeline'))).toBe('404 message.not_found');
  });

  test('a plain push writes no history', async () => {
    const shop = await service.business();
    await service.change(shop, { smsMode: 'on' });
    await shop.pushed();
    const { rows } = await service.pool.query(
      `select m.sms_skipped, (select count(*)::int from message_events e where e.business_id = m.business_id) as rows
       from messages m where m.business_id = $1`,
      [shop.businessId],
    );
    expect(rows).toEqual([{ sms_skipped: 'no_phone', rows: 0 }]);
  });
});
