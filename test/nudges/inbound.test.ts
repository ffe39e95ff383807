import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addressedTo, handleInboundSms, type InboundDeps } from '../../src/callbacks/inboundSms.ts';
import { handleInboundWhatsapp } from '../../src/callbacks/inboundWhatsapp.ts';
import { HOUR, MINUTE, SECOND } from '../../src/kit/clock.ts';
import { enterPhone, removePhone } from '../../src/recipients/phones.ts';
import { personReplies, personTexts } from '../../src/sandbox/reports.ts';
import { untilLockWait } from '../support/databaseLocks.ts';
import { type OutboxHarness, startOutboxHarness } from '../support/outboxHarness.ts';
import type { TestRecipient } from '../support/rows.ts';

let world: OutboxHarness;
let deps: InboundDeps;
beforeAll(async () => {
  world = await startOutboxHarness();
  deps = {
    pool: world.pool,
    clock: world.clock,
    hash: world.hash,
    onEvents: () => {},
    onSends: () => world.outbox.wake(),
  };
});
afterAll(() => world.close());

const BY_KEY = { source: 'api', actor: 'key:k' } as const;

let number = 40_000;
const nextNumber = (): string => {
  number += 1;
  return `+4477009${number}`;
};
async function someone(columns = {}, person = {}) {
  const shop = await world.business({ credits: 5, ...columns });
  return { shop, person: await world.recipient(shop, { phone: nextNumber(), ...person }) };
}

const texts = (from: TestRecipient, body: string, businessId: string | null = from.businessId) =>
  personTexts(deps, { from: from.phone ?? '', body, businessId });
const replies = (from: TestRecipient, body: string, businessId: string | null = from.businessId) =>
  personReplies(deps, { from: from.phone ?? '', body, businessId });

async function standing({ id }: TestRecipient) {
  const { rows } = await world.pool.query(
    'select sms_status, sms_stopped_by, sms_status_at, whatsapp_status from recipients where id = $1',
    [id],
  );
  return rows[0];
}

/** Something happens between the deletion of a person's record and its commit. */
async function whileErased({ id }: TestRecipient, happening: () => Promise<unknown>): Promise<unknown> {
  const erasing = await world.pool.connect();
  try {
    await erasing.query('begin');
    await erasing.query('delete from recipients where id = $1', [id]);
    const happened = happening();
    await untilLockWait(world.pool);
    await erasing.query('commit');
    return await happened;
  } finally {
    erasing.release();
  }
}

describe('a person who texts STOP', () => {
  test.each(['STOP', 'stop', ' Stop. ', 'unsubscribe', 'QUIT'])('(%s) is stopped', async (word) => {
    const { person } = await someone();
    await texts(person, word);
    expect(await standing(person)).toMatchObject({
      sms_status: 'stopped',
      sms_stopped_by: 'text',
      sms_status_at: world.now(),
    });
  });

  test('is stopped also when the number is given to them at that very moment', async () => {
    const shop = await world.business();
    for (let round = 0; round < 20; round += 1) {
      const phone = nextNumber();
      const person = await world.recipient(shop, { sms_status: 'none', whatsapp_status: 'none' });
      await Promise.all([
        enterPhone(deps, { businessId: shop.id, email: person.email }, phone, BY_KEY),
        texts({ ...person, phone }, 'STOP'),
      ]);
      expect(await standing(person)).toMatchObject({ sms_status: 'stopped', sms_stopped_by: 'text' });
    }
  });

  test('has stopped the number, although it is taken from them at that very moment', async () => {
    const shop = await world.business();
    for (let round = 0; round < 20; round += 1) {
      const phone = nextNumber();
      const name = { businessId: shop.id, email: (await world.recipient(shop, { phone })).email };
      await Promise.all([removePhone(deps, name, BY_KEY), texts({ ...name, id: '', phone }, 'STOP')]);
      expect(await enterPhone(deps, name, phone, BY_KEY)).toMatchObject({ view: { sms_status: 'stopped' } });
    }
  });

  test('gets no text that is still waiting, and its credit is free again', async () => {
    const { shop, person } = await someone();
    const later = await world.push(person, {
      sms: true,
      whatsapp: true,
      sendAt: new Date(world.now().getTime() + HOUR),
    });
    expect(await world.credits(shop.id)).toMatchObject({ reserved: 2 });
    await texts(person, 'STOP');
    expect(await world.sendRow(later.sms)).toMatchObject({ state: 'skipped', reason: 'stopped' });
    expect(await world.credits(shop.id)).toEqual({ balance: 5, reserved: 1, ledger: 5 });
    await world.advance(2 * HOUR);
    expect(await world.captured({ to: person.phone ?? '', channel: 'sms' })).toEqual([]);
    expect((await world.sendRow(later.whatsapp)).state).toBe('delivered');
  });

  test('is not stopped by a sentence that merely holds the word', async () => {
    const { person } = await someone();
    await texts(person, 'please stop by the shop');
    expect(await standing(person)).toMatchObject({ sms_status: 'active' });
  });

  test('is stopped again by START only when the stop was texted', async () => {
    const texted = await someone();
    await texts(texted.person, 'STOP');
    await texts(texted.person, 'start');
    expect(await standing(texted.person)).toMatchObject({ sms_status: 'active', sms_stopped_by: null });
    const sent = await world.push(texted.person, { sms: true });
    await world.advance(SECOND);
    expect((await world.sendRow(sent.sms)).state).toBe('delivered');

    for (const made of ['inbox', 'dashboard']) {
      const { person } = await someone({}, { sms_status: 'stopped', sms_stopped_by: made });
      await texts(person, 'STOP');
      await texts(person, 'START');
      expect(await standing(person)).toMatchObject({ sms_status: 'stopped', sms_stopped_by: made });
    }
  });

  test('stays stopped with another number, and START from the number now held lifts it', async () => {
    const { person } = await someone();
    await texts(person, 'STOP');
    const other = nextNumber();
    await world.pool.query('update recipients set phone = $2 where id = $1', [person.id, other]);
    const moved = { ...person, phone: other };
    await texts(person, 'START');
    expect(await standing(person)).toMatchObject({ sms_status: 'stopped' });
    await texts(moved, 'START');
    expect(await standing(person)).toMatchObject({ sms_status: 'active' });
  });

  test('is stopped with that business alone, or with every business when the number texted was the shared one', async () => {
    const { shop, person } = await someone();
    const other = await world.business({ credits: 5 });
    const same = await world.recipient(other, { phone: person.phone });
    await texts(person, 'STOP');
    expect(await standing(same)).toMatchObject({ sms_status: 'active' });
    await texts(person, 'START');
    await texts(person, 'STOP', null);
    expect(await standing(person)).toMatchObject({ sms_status: 'stopped' });
    expect(await standing(same)).toMatchObject({ sms_status: 'stopped' });
    expect(shop.id).not.toBe(other.id);
  });

  test('is remembered by number even when nobody holds it', async () => {
    const shop = await world.business({ credits: 5 });
    const phone = nextNumber();
    await handleInboundSms(deps, { from: phone, body: 'STOP', audience: addressedTo(shop.id), source: null });
    const given = await world.recipient(shop, { phone });
    const { sms } = await world.push(given, { sms: true });
    await world.advance(SECOND);
    expect(await world.sendRow(sms)).toMatchObject({ state: 'skipped', reason: 'stopped' });
  });

  test.each(['own', 'shared'] as const)(
    'to the %s sender, while they are erased, has said it',
    async (whose) => {
      const { shop, person } = await someone();
      await whileErased(person, () => texts(person, 'STOP', whose === 'own' ? person.businessId : null));
      const again = await world.recipient(shop, { phone: person.phone ?? '', email: 'again@example.com' });
      const { sms } = await world.push(again, { sms: true });
      await world.advance(SECOND);
      expect(await world.sendRow(sms)).toMatchObject({ state: 'skipped', reason: 'stopped' });
    },
  );

  test('is applied once, however often the provider repeats it', async () => {
    const { person } = await someone();
    const stop = {
      from: person.phone ?? '',
      body: 'STOP',
      audience: addressedTo(person.businessId),
      source: { provider: 'test', id: 'in-1' },
    };
    await handleInboundSms(deps, stop);
    await texts(person, 'START');
    await handleInboundSms(deps, stop);
    expect(await standing(person)).toMatchObject({ sms_status: 'active' });
  });

  test('nobody is concerned by a business that does not exist, or by a number that is none', async () => {
    const { person } = await someone();
    expect(await texts(person, 'STOP', 'nosuchbusiness')).toBe(false);
    expect(await personTexts(deps, { from: 'hello', body: 'STOP', businessId: person.businessId })).toBe(
      true,
    );
    expect(await standing(person)).toMatchObject({ sms_status: 'active' });
  });
});

describe('a person who replies on WhatsApp', () => {
  const kept = async ({ id }: TestRecipient) =>
    (
      await world.pool.query(
        'select body, message_id, forwarded from whatsapp_replies where recipient_id = $1 order by id',
        [id],
      )
    ).rows;

  /** Somebody whom a business has written to on WhatsApp. */
  async function wroteTo() {
    const { shop, person } = await someone();
    await world.push(person, { whatsapp: true });
    await world.advance(SECOND);
    return { shop, person };
  }

  test('is kept, told as an event, and about the message that was announced to them last', async () => {
    const { shop, person } = await someone();
    await world.push(person, { whatsapp: true });
    await world.advance(MINUTE);
    const second = await world.push(person, { whatsapp: true });
    await world.advance(MINUTE);
    await replies(person, 'When will it come?');
    expect(await kept(person)).toEqual([
      { body: 'When will it come?', message_id: second.messageId, forwarded: false },
    ]);
    const event = (await world.events(shop.id)).find(({ type }) => type === 'whatsapp.inbound_message');
    expect(event?.data).toEqual({
      message_id: second.messageId,
      recipient_email: person.email,
      recipient_phone: `+44 •••• ${person.phone?.slice(-4)}`,
      body: 'When will it come?',
      received_at: world.now().toISOString(),
    });
  });

  test('is acknowledged once in 24 hours, at nobody’s expense', async () => {
    const { shop, person } = await wroteTo();
    const acknowledgements = async () =>
      (await world.captured({ to: person.phone ?? '' })).filter(({ template }) => template === null);
    expect(await world.credits(shop.id)).toEqual({ balance: 4, reserved: 0, ledger: 4 });
    await replies(person, 'Hello');
    await replies(person, 'Hello?');
    await world.advance(23 * HOUR);
    await replies(person, 'Anyone?');
    await world.advance(SECOND);
    expect(await acknowledgements()).toHaveLength(1);
    await world.advance(HOUR);
    await replies(person, 'Me again');
    await world.advance(SECOND);
    expect(await acknowledgements()).toHaveLength(2);
    expect((await acknowledgements())[0]).toMatchObject({
      channel: 'whatsapp',
      template: null,
      text: expect.stringContaining('Acme Books'),
    });
    expect(await world.credits(shop.id)).toEqual({ balance: 4, reserved: 0, ledger: 4 });
  });

  test('is acknowledged also in quiet hours: it answers what the person wrote just now', async () => {
    const { shop, person } = await wroteTo();
    const clock = (moment: Date): string =>
      moment.toLocaleTimeString('en-GB', { timeZone: 'Europe/London', hour: '2-digit', minute: '2-digit' });
    const hours = [-HOUR, HOUR].map((away) => clock(new Date(world.now().getTime() + away))).join('-');
    await world.pool.query('update businesses set quiet_hours = $2 where id = $1', [shop.id, hours]);
    await replies(person, 'Hello');
    const announced = await world.push(person, { whatsapp: true });
    await world.advance(SECOND);
    const captured = await world.captured({ to: person.phone ?? '' });
    expect(captured.filter(({ template }) => template === null)).toHaveLength(1);
    expect((await world.sendRow(announced.whatsapp)).state).toBe('queued');
  });

  test('is not acknowledged on a number given since, which neither consented nor was written to', async () => {
    const { shop, person } = await wroteTo();
    const given = nextNumber();
    // The outbox is not woken, so that the number changes before the acknowledgement's turn comes.
    const reply = { from: person.phone ?? '', body: 'Hello', businessId: shop.id };
    await personReplies({ ...deps, onSends: () => {} }, reply);
    await enterPhone(deps, { businessId: shop.id, email: person.email }, given, BY_KEY);
    await world.advance(SECOND);
    expect(await world.captured({ to: given })).toEqual([]);
    const { rows } = await world.pool.query(
      `select state, reason from sends where recipient_id = $1 and purpose = 'reply_ack'`,
      [person.id],
    );
    expect(rows).toEqual([{ state: 'skipped', reason: 'not_opted_in' }]);
  });

  test('to a message whose answer is not recorded yet is kept, while consent stands', async () => {
    const { person } = await wroteTo();
    await world.pool.query('update recipients set whatsapp_status_at = $2 where id = $1', [
      person.id,
      new Date(world.now().getTime() - HOUR),
    ]);
    await world.pool.query('delete from messaged_numbers');
    await replies(person, 'Hello', null);
    expect(await kept(person)).toHaveLength(1);
    // Whatever ends consent, a change of number among it, ends the proof that the message went to this number.
    await world.pool.query('update recipients set whatsapp_status_at = $2 where id = $1', [
      person.id,
      world.now(),
    ]);
    await replies(person, 'Hello again', null);
    expect(await kept(person)).toHaveLength(1);
  });

  test.each([
    ['full', 1, true],
    ['link_only', 1, false],
    ['off', 0, false],
  ])(
    'is forwarded to the business’s contact as its setting says: %s',
    async (setting, mails, carriesText) => {
      const contact = `owner-${setting}@shop.example`;
      const { person } = await someone({ reply_forward: setting, contact_email: contact });
      await world.push(person, { whatsapp: true });
      await world.advance(SECOND);
      await replies(person, 'REPLY-CANARY');
      await world.advance(SECOND);
      const forwarded = await world.captured({ to: contact });
      expect(forwarded).toHaveLength(mails);
      expect(JSON.stringify(forwarded).includes('REPLY-CANARY')).toBe(carriesText);
      expect((await kept(person))[0]?.forwarded).toBe(mails === 1);
    },
  );

  test('who writes STOP gets no more WhatsApp, for good, and no acknowledgement; texts go on', async () => {
    const { person } = await someone();
    const later = await world.push(person, {
      whatsapp: true,
      sms: true,
      sendAt: new Date(world.now().getTime() + HOUR),
    });
    await replies(person, 'Stop');
    await replies(person, 'START');
    expect(await standing(person)).toMatchObject({ whatsapp_status: 'stopped', sms_status: 'active' });
    await world.advance(2 * HOUR);
    expect(await world.sendRow(later.whatsapp)).toMatchObject({ state: 'skipped', reason: 'stopped' });
    expect((await world.sendRow(later.sms)).state).toBe('delivered');
    expect(await world.captured({ to: person.phone ?? '', channel: 'whatsapp' })).toEqual([]);
  });

  test('who writes STOP while they are erased, or to a business that does not know them, has said it', async () => {
    const { shop, person } = await someone();
    await whileErased(person, () => replies(person, 'STOP'));
    const stranger = nextNumber();
    await handleInboundWhatsapp(deps, {
      from: stranger,
      body: 'stop',
      audience: addressedTo(shop.id),
      source: null,
    });
    for (const phone of [person.phone ?? '', stranger]) {
      const again = await world.recipient(shop, { phone, email: `${phone}@example.com` });
      const { whatsapp } = await world.push(again, { whatsapp: true });
      await world.advance(SECOND);
      expect(await world.sendRow(whatsapp)).toMatchObject({ state: 'skipped', reason: 'stopped' });
    }
  });

  test('shows that the number is on WhatsApp after all', async () => {
    const shop = await world.business({ credits: 5 });
    const person = await world.recipient(shop, { phone: '+447700939005' });
    await world.push(person, { whatsapp: true });
    await world.advance(SECOND);
    const skipped = await world.push(person, { whatsapp: true });
    await world.advance(SECOND);
    expect(await world.sendRow(skipped.whatsapp)).toMatchObject({ reason: 'not_reachable' });
    await replies(person, 'I am here');
    const tried = await world.push(person, { whatsapp: true });
    await world.advance(SECOND);
    expect((await world.sendRow(tried.whatsapp)).attempts).toBe(1);
  });

  test('to the shared account is to the business that wrote last', async () => {
    const { person } = await someone();
    const other = await world.recipient(await world.business({ credits: 5 }), { phone: person.phone });
    await world.push(person, { whatsapp: true });
    await world.advance(MINUTE);
    await world.push(other, { whatsapp: true });
    await world.advance(MINUTE);
    await replies(person, 'Hi', null);
    expect(await kept(person)).toEqual([]);
    expect(await kept(other)).toHaveLength(1);
  });

  test('is kept without what a database cannot hold', async () => {
    const { person } = await wroteTo();
    await handleInboundWhatsapp(deps, {
      from: person.phone ?? '',
      body: 'a\u0000b\ud800c',
      audience: addressedTo(null),
      source: { provider: 'test', id: 'in-2' },
    });
    await handleInboundWhatsapp(deps, {
      from: person.phone ?? '',
      body: 'again',
      audience: addressedTo(null),
      source: { provider: 'test', id: 'in-2' },
    });
    expect((await kept(person)).map(({ body }) => body)).toEqual(['ab\uFFFDc']);
  });
});
