import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PushPreview } from '../../src/contract/push.ts';
import type { RecipientView } from '../../src/contract/recipients.ts';
import { LANGUAGES } from '../../src/language/languages.ts';
import { setTranslationState } from '../../src/templates/sql.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, ORDER_UPDATE, type Shop, validationErrorsOf } from '../support/shop.ts';
import { type CapturedMessage, capturedMessages, eventually } from '../support/waiting.ts';
import { FULL_PUSH } from './channelOutcomes.ts';

/* Section 6 of the extensions: the language of our words, and that nothing else changes. */

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const EMAIL = ORDER_UPDATE.recipient_email;
const viewed = async (shop: Shop, email = EMAIL): Promise<RecipientView> =>
  expectStatus(200, await shop.get(`/api/v1/recipients/${email}`));
const previewed = async (shop: Shop, change: Record<string, unknown> = {}): Promise<PushPreview> =>
  expectStatus(
    200,
    await shop.call('POST', '/api/v1/messages/preview', { body: { ...ORDER_UPDATE, ...change } }),
  );
const sentBy = (id: string, count: number): Promise<CapturedMessage[]> =>
  eventually(async () => {
    const all = (await capturedMessages(service.url)).filter((one) => one.message_id === id);
    expect(all).toHaveLength(count);
    return all;
  });
const on = (channel: string, sent: readonly CapturedMessage[]): CapturedMessage => {
  const found = sent.find((one) => one.channel === channel);
  if (!found) throw new Error(`nothing was sent on ${channel}`);
  return found;
};

describe('the push field', () => {
  test('is stored with the recipient as it was sent', async () => {
    const shop = await service.business();
    await shop.pushed({ language: 'pt-BR' });
    expect((await viewed(shop)).language).toBe('pt-BR');
  });

  test('is reused by the next push, like the number', async () => {
    const shop = await service.business();
    await shop.pushed({ language: 'fi' });
    const { id } = await shop.pushed({ order_status: 'shipped', reference: '#1' });
    const [mail] = await sentBy(id, 1);
    expect(mail?.text).toContain('Tilauksesi #1 on lähetetty.');
  });

  test.each([null, undefined])('%s changes nothing', async (language) => {
    const shop = await service.business();
    await shop.pushed({ language: 'fi' });
    await shop.pushed({ language });
    expect((await viewed(shop)).language).toBe('fi');
  });

  test('another one replaces it, for new and for known recipients', async () => {
    const shop = await service.business();
    await shop.pushed({ language: 'fi' });
    await shop.pushed({ language: 'sv' });
    expect((await viewed(shop)).language).toBe('sv');
    await shop.pushed({ ...FULL_PUSH, recipient_email: EMAIL, language: 'da' });
    expect(await viewed(shop)).toMatchObject({ language: 'da', sms: { status: 'active' } });
    await shop.pushed({ language: 'nb' });
    expect(await viewed(shop)).toMatchObject({ language: 'nb', sms: { status: 'active' } });
  });

  test.each([
    'en_US',
    '',
    ' ',
    'e',
    'en-',
    '-en',
    'en--US',
    'english!',
    'en-a',
    'abcdefghi',
    'fi\n',
    '12',
    'õõ',
  ])('%j is malformed: 422', async (language) => {
    const shop = await service.business();
    for (const path of ['/api/v1/messages', '/api/v1/messages/preview']) {
      const refused = await shop.call('POST', path, {
        body: { ...ORDER_UPDATE, language },
        idempotencyKey: 'k',
      });
      expect(refused.status).toBe(422);
      expect(validationErrorsOf(refused)).toMatchObject([
        { type: 'string_pattern_mismatch', loc: ['body', 'language'], input: language },
      ]);
    }
  });

  test('what is no text is refused by its type', async () => {
    const shop = await service.business();
    expect(validationErrorsOf(await shop.push({ language: 7 }))).toMatchObject([
      { type: 'string_type', loc: ['body', 'language'] },
    ]);
  });

  test.each([
    'en',
    'en-US',
    'zh-Hant-TW',
    'de-CH-1996',
    'es-419',
    'sl-rozaj-biske-1994',
    'en-u-ca-buddhist',
    'x-whatever',
    'i-klingon',
    'tlh',
  ])('%s is well-formed', async (language) => {
    const shop = await service.business();
    await shop.pushed({ language });
    expect((await viewed(shop)).language).toBe(language);
  });

  test('in a batch, each item has its own, and a malformed one fails alone', async () => {
    const shop = await service.business();
    const { body } = await shop.batch([
      { recipient_email: 'a@example.com', language: 'et' },
      { recipient_email: 'b@example.com', language: 'en_US' },
      { recipient_email: 'a@example.com', language: 'lv' },
      { recipient_email: 'c@example.com' },
    ]);
    expect(body).toMatchObject({ succeeded: 3, failed: 1, items: [{ ok: true }, { ok: false }, {}, {}] });
    expect((await viewed(shop, 'a@example.com')).language).toBe('lv');
    expect((await viewed(shop, 'c@example.com')).language).toBeNull();
  });
});

describe('the language that results', () => {
  test.each([
    ['de-AT', 'de'],
    ['no', 'nb'],
    ['nn-NO', 'nb'],
    ['pt-BR', 'pt'],
    ['deu', 'de'],
  ])('%s: the nearest we have, %s', async (language, result) => {
    const shop = await service.business({ language: 'et' });
    expect((await previewed(shop, { language })).language).toBe(result);
  });

  test.each(['tlh', 'ja', 'x-whatever', null])('%s: else the business’s default', async (language) => {
    const shop = await service.business({ language: 'et' });
    expect((await previewed(shop, { language })).language).toBe('et');
  });

  test('the default is English at first', async () => {
    const shop = await service.business();
    expect((await previewed(shop)).language).toBe('en');
  });

  test('the preview shows what results, the recipient’s view what is stored', async () => {
    const shop = await service.business({ language: 'lt' });
    expect((await previewed(shop, { language: 'fi' })).language).toBe('fi');
    // A preview writes nothing.
    expect((await shop.get(`/api/v1/recipients/${EMAIL}`)).status).toBe(404);
    await shop.pushed({ language: 'ja' });
    expect((await previewed(shop)).language).toBe('lt');
    expect((await viewed(shop)).language).toBe('ja');
    // Whatever is pushed without nudging is in that language, too.
    expect((await previewed(shop, { notify: false })).language).toBe('lt');
  });
});

describe('what it chooses', () => {
  test('the words of the email: text, HTML, its footer; the subject stays the merchant’s', async () => {
    const shop = await service.business({ name: 'Acme' });
    const subject = 'Your parcel <3';
    const { id } = await shop.pushed({
      subject,
      reference: '#7',
      order_status: 'delayed',
      language: 'de-DE',
    });
    const [mail] = await sentBy(id, 1);
    expect(mail?.subject).toBe(subject);
    expect(mail?.text).toContain('Ihre Bestellung #7 verzögert sich.');
    expect(mail?.text).toContain(
      'Sie erhalten diese E-Mail, weil Acme Neues zu einer Ihrer Bestellungen hat.',
    );
    expect(mail?.html).toContain('<html lang="de"');
    expect(mail?.html).toContain('Im Posteingang lesen');
    expect(mail?.html).not.toMatch(/your (?:inbox|order)|read it|this mail/i);
  });

  test('the text, in one segment, letters outside its alphabet without their marks', async () => {
    const shop = await service.business({ name: 'Acme', credits: 5 });
    const { id } = await shop.pushed({
      ...FULL_PUSH,
      recipient_email: 'pl@example.com',
      channels: ['sms'],
      language: 'pl',
    });
    const text = on('sms', await sentBy(id, 2));
    expect(text.text).toMatch(
      /^Acme: Twoje zamowienie \S+ zostalo wyslane\. Koniec SMS-ow: odpisz STOP\. Wiecej: http/,
    );
    expect(text.text.length).toBeLessThanOrEqual(160);
  });

  test('the WhatsApp template', async () => {
    const shop = await service.business({ name: 'Acme', credits: 5 });
    const push = { ...FULL_PUSH, recipient_email: 'pt@example.com', channels: ['whatsapp'], language: 'pt' };
    const preview = await previewed(shop, push);
    const { id } = await shop.pushed(push);
    const { template, text } = on('whatsapp', await sentBy(id, 2));
    expect(template).toMatchObject({ name: 'waypost_order_shipped_v1', language: 'pt_PT' });
    expect(text).toMatch(/^Aviso de Acme: a sua encomenda \S+ foi enviada\.\n/);
    const nudge = preview.nudges.find(({ channel }) => channel === 'whatsapp');
    expect(nudge?.text).toBe(text.replace(/http\S+/, '{link}'));
  });

  test('a template that is not approved in it is sent in the business’s language, else in English', async () => {
    const shop = await service.business({ name: 'Acme', credits: 9, language: 'fi' });
    const push = { ...FULL_PUSH, recipient_email: 'it@example.com', channels: ['whatsapp'], language: 'it' };
    const whatsappText = async () =>
      (await previewed(shop, push)).nudges.find(({ channel }) => channel === 'whatsapp')?.text;
    try {
      await setTranslationState(service.pool, 'it', 'shipped', 'in_review');
      expect(await whatsappText()).toMatch(/^Uutta lähettäjältä Acme/);
      await setTranslationState(service.pool, 'fi', 'shipped', 'in_review');
      expect(await whatsappText()).toMatch(/^Update from Acme/);
      const { id } = await shop.pushed(push);
      const sent = await sentBy(id, 2);
      expect(on('whatsapp', sent).template).toMatchObject({ language: 'en' });
      // The other channels need no approval.
      expect(on('email', sent).html).toContain('<html lang="it"');
    } finally {
      await setTranslationState(service.pool, 'it', 'shipped', 'approved');
      await setTranslationState(service.pool, 'fi', 'shipped', 'approved');
    }
  });

  test('every language: what the preview says is what each channel sends', async () => {
    const shop = await service.business({ name: 'Acme', credits: 100 });
    const phone = (n: number) => `+3725555${2_000 + n}`;
    for (const [n, language] of LANGUAGES.entries()) {
      const push = {
        ...FULL_PUSH,
        recipient_email: `all-${language}@example.com`,
        recipient_phone: phone(n),
        channels: ['sms', 'whatsapp'],
        language,
      };
      const { nudges } = await previewed(shop, push);
      const { id } = await shop.pushed(push);
      const sent = await sentBy(id, 3);
      for (const { channel, text } of nudges)
        expect(
          on(channel, sent)
            .text.replace(/http\S+\/i\/[\w-]+/, '{link}')
            .replace(/http\S+\/unsubscribe\S+/, '{unsubscribe}'),
        ).toBe(text);
    }
  });
});

describe('what it does not change', () => {
  test('the answer of a push: the same fields and the same values', async () => {
    const shop = await service.business();
    const without = await shop.pushed({ recipient_email: 'x@example.com' });
    const withLanguage = await shop.pushed({ recipient_email: 'x@example.com', language: 'fi' });
    expect(Object.keys(withLanguage)).toEqual(Object.keys(without));
    const { id: _one, created_at: _at, updated_at: _then, ...rest } = without;
    expect(withLanguage).toMatchObject(rest);
  });

  test('what the merchant wrote', async () => {
    const shop = await service.business({ name: 'Your Order Shop' });
    const body = 'Your order has shipped. Reply STOP.';
    const { id } = await shop.pushed({ subject: 'Your order', body, language: 'sv' });
    expect(await shop.get(`/api/v1/messages/${id}`)).toMatchObject({ body: { subject: 'Your order', body } });
    const [mail] = await sentBy(id, 1);
    expect(mail?.subject).toBe('Your order');
    expect(mail?.text).toMatch(/^Your Order Shop\n\nDet .*\n\nYour order has shipped\. Reply STOP\.\n/);
  });
});

test('a text that waits goes out in the language of then', async () => {
  const shop = await service.business({ name: 'Acme', credits: 5 });
  const held = {
    ...FULL_PUSH,
    recipient_email: 'later@example.com',
    channels: ['sms'],
    escalate_if_unread_after_minutes: 30,
    language: 'es',
  };
  const { id } = await shop.pushed(held);
  await shop.pushed({ recipient_email: 'later@example.com', language: 'nl' });
  await service.advance({ minutes: 31 });
  expect(on('sms', await sentBy(id, 2)).text).toMatch(/^Acme: uw bestelling/);
});

describe('a person’s rights', () => {
  test('the export has it, and an erasure takes it', async () => {
    const shop = await service.business();
    await shop.pushed({ language: 'cs' });
    expect(await shop.get(`/api/v1/recipients/${EMAIL}/export`)).toMatchObject({
      body: { recipient: { language: 'cs' } },
    });
    expect((await shop.post(`/api/v1/recipients/${EMAIL}/erase`)).status).toBe(200);
    await shop.pushed();
    expect((await viewed(shop)).language).toBeNull();
  });
});
