import { expect, onTestFinished, test } from 'vitest';
import { openConsole } from '../cli/console.ts';
import { metaEnv, twilioSmsEnv, vonageEnv } from '../support/providerEnvironments.ts';
import { startService } from '../support/service.ts';
import { joinAsOperator, signedIn } from './memberBrowser.ts';

/** An operator at the page of a new shop, where these variables are set. */
async function atShop(env: Record<string, string>) {
  const service = await startService(env);
  onTestFinished(() => service.close());
  const operator = await signedIn(service, (await joinAsOperator(service, 'op@waypost.example')).id);
  const { businessId } = await service.business();
  const path = `/dashboard/operator/shops/${businessId}`;
  const cli = openConsole(service.database.url, env);
  return {
    page: async () => (await operator.get(path)).text,
    /** The shop's own pages. */
    shopPage: async (below: string) => (await operator.get(`/dashboard/${businessId}${below}`)).text,
    submit: (below: string, fields: Record<string, string> = {}) =>
      operator.submit(path, `${path}/senders${below}`, fields),
    senders: async () => (await cli.json('sender', 'list', businessId)).items,
  };
}

const NOWHERE = 'http://127.0.0.1:9';
const SEVERAL = {
  ...twilioSmsEnv(NOWHERE),
  ...vonageEnv(NOWHERE),
  ...metaEnv(NOWHERE),
  SMS_PROVIDER: 'twilio,vonage',
};
const SERVICE = `MG${'3'.repeat(32)}`;

test('a sender can be used with one of several providers alone', async () => {
  const { page, shopPage, submit, senders } = await atShop(SEVERAL);
  const fresh = await page();
  const [, options = ''] = /<select[^>]*name="provider"[^>]*>([\s\S]*?)<\/select>/.exec(fresh) ?? [];
  expect([...options.matchAll(/>([^<>]+)<\/option>/g)].map(([, label]) => label)).toEqual([
    'Every provider that it fits',
    'Twilio alone',
    'Vonage alone',
  ]);

  await submit('', { channel: 'sms', address: 'Acme', provider: '' });
  await submit('', { channel: 'sms', address: SERVICE, provider: 'twilio' });
  expect(await senders()).toEqual([
    { channel: 'sms', address: 'Acme' },
    { channel: 'sms', provider: 'twilio', address: SERVICE },
  ]);
  expect(await page()).toContain(`${SERVICE} (Twilio)`);
  expect(await shopPage('/settings/channels/sms')).toContain(`Your own: Acme, ${SERVICE} (Twilio)`);
  expect(await shopPage('/settings')).toContain(`SMS: Acme; SMS: ${SERVICE} (Twilio)`);

  expect((await submit('/sms/vonage/remove')).location).toContain('flash=no_sender');
  expect((await submit('/sms/twilio/remove')).location).toContain('flash=sender_removed');
  expect(await senders()).toEqual([{ channel: 'sms', address: 'Acme' }]);
});

test.each([
  [{ channel: 'sms', address: SERVICE, provider: 'vonage' }, 'The sender must be a number such as'],
  [{ channel: 'sms', address: 'Acme', provider: 'meta' }, 'The provider must be one of twilio, vonage'],
  [
    { channel: 'email', address: 'a@b.example', provider: 'twilio' },
    'The provider is for texts and WhatsApp',
  ],
])('%j is refused', async (fields, fault) => {
  const { submit, senders } = await atShop(SEVERAL);
  const { status, text } = await submit('', fields);
  expect([status, text]).toEqual([422, expect.stringContaining(fault)]);
  expect(await senders()).toEqual([]);
});

test('where a channel has one provider, there is nothing to choose', async () => {
  const { page, submit, senders } = await atShop({ ...twilioSmsEnv(NOWHERE), ...metaEnv(NOWHERE) });
  expect(await page()).not.toContain('name="provider"');
  await submit('', { channel: 'sms', address: SERVICE });
  expect(await senders()).toEqual([{ channel: 'sms', address: SERVICE }]);
});
