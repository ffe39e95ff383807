import { describe, expect, test } from 'vitest';
import { listAt, textAt } from '../../src/kit/json.ts';
import { metaEnv, SHARED_ENV } from '../support/providerEnvironments.ts';
import type { TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import { mockApi } from './mockApi.ts';
import {
  advanceMinutes,
  metricValue,
  PUSH_ON_CHANNEL,
  providerUnderTest,
  sendWhen,
  startProviderService,
} from './providerService.ts';

/** Postmark stands first, then Resend. */
async function twoOfEmail() {
  const first = await providerUnderTest('postmark').open();
  const second = await providerUnderTest('resend').open();
  const service = await startProviderService({
    ...first.env,
    ...second.env,
    EMAIL_PROVIDER: 'postmark,resend',
  });
  const shop = await service.business({ name: 'Acme', credits: 5 });
  return { first, second, service, shop };
}

/** The sentences of the message's timeline. */
const saysOf = async (shop: Shop, id: string): Promise<(string | null)[]> =>
  listAt((await shop.call('GET', `/api/v1/messages/${id}/timeline`)).body, 'items').map((item) =>
    textAt(item, 'says'),
  );

/** More than Traffic needs, even if they are spread over minutes. */
const FAILED = 30;

async function pushMany(shop: Shop, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await shop.pushed({ recipient_email: `person${n}@example.com` });
}

/** The attempts that ended so, once there are these many. */
const attemptsWhen = ({ pool }: Pick<TestService, 'pool'>, outcome: string, count: number) =>
  eventually(async () => {
    const { rows } = await pool.query<{
      provider: string;
      chosen_because: string | null;
      message_id: string;
    }>(
      `select a.provider, a.chosen_because, s.message_id
       from send_attempts a join sends s on s.business_id = a.business_id and s.id = a.send_id where a.outcome = $1`,
      [outcome],
    );
    expect(rows).toHaveLength(count);
    return rows;
  });

const DOWN = { status: 429, body: { ErrorCode: 429, Message: 'Rate limit exceeded' } };

describe('of two providers', () => {
  test('the first has every message while it takes them', async () => {
    const { first, second, service, shop } = await twoOfEmail();
    const { id } = await shop.pushed({});
    await sendWhen(service, id, 'email', { state: 'accepted' });
    expect([first.references().length, second.references().length]).toEqual([1, 0]);
    expect(await saysOf(shop, id)).toContain('The email was handed to Postmark.');
    expect(await saysOf(shop, id)).toContain('Postmark accepted the email.');
    expect(
      await metricValue(service.url, 'waypost_provider_share', { channel: 'email', provider: 'postmark' }),
    ).toBe(100);
  });

  test('the second takes at once what the first certainly did not, and the record says why', async () => {
    const { first, second, service, shop } = await twoOfEmail();
    first.reply(DOWN);
    const { id } = await shop.pushed({});
    const send = await sendWhen(service, id, 'email', { state: 'accepted' });
    expect(second.references()).toEqual([`${shop.businessId}-${send.id}`]);
    const { rows } = await service.pool.query(
      'select attempt, outcome, provider, chosen_because, passed_over from send_attempts',
    );
    expect(rows).toEqual([
      {
        attempt: 1,
        outcome: 'accepted',
        provider: 'resend',
        chosen_because: 'next',
        passed_over: [{ provider: 'postmark', error_code: 'postmark_http_429' }],
      },
    ]);
    expect(await saysOf(shop, id)).toContain('The email was handed to Resend. Postmark took nothing.');
  });

  test('a wrong credential of the first pauses it, not the channel', async () => {
    const { first, second, service, shop } = await twoOfEmail();
    first.behave('refuses the credentials');
    for (let left = 3; left > 0; left -= 1) {
      const { id } = await shop.pushed({});
      await sendWhen(service, id, 'email', { state: 'accepted' });
    }
    expect(first.references()).toHaveLength(1);
    expect(second.references()).toHaveLength(3);
    expect(await metricValue(service.url, 'waypost_channel_paused', { channel: 'email' })).toBe(0);
  });

  test.each(['never answers', 'closes the connection after the request'] as const)(
    'nobody else is asked where the first %s',
    async (manner) => {
      const { first, second, service, shop } = await twoOfEmail();
      first.behave(manner);
      const { id } = await shop.pushed({});
      await sendWhen(service, id, 'email', { state: 'failed', reason: 'outcome_unknown' });
      expect(second.references()).toEqual([]);
    },
    30_000,
  );

  test('some messages go to the second while too many calls to the first fail, and the record says why', async () => {
    const { first, second, service, shop } = await twoOfEmail();
    first.behave('closes the connection after the request');
    await pushMany(shop, FAILED);
    await attemptsWhen(service, 'unknown', FAILED);
    expect(second.references()).toEqual([]);
    await advanceMinutes(service, 1);

    first.behave('accepts the message');
    await pushMany(shop, 4 * FAILED);
    const attempts = await attemptsWhen(service, 'accepted', 4 * FAILED);
    const moved = attempts.filter(({ chosen_because }) => chosen_because === 'traffic');
    expect(moved.length).toBeGreaterThan(0);
    expect(moved.length).toBeLessThan(attempts.length);
    for (const { provider, chosen_because } of attempts)
      expect(provider).toBe(chosen_because === 'traffic' ? 'resend' : 'postmark');
    expect(await saysOf(shop, moved[0]?.message_id ?? '')).toContain(
      'The email was handed to Resend. The provider before it in the order has trouble.',
    );
  });

  test('reports of both are believed', async () => {
    const { first, service, shop } = await twoOfEmail();
    for (const name of ['postmark', 'resend']) {
      if (name === 'resend') first.reply(DOWN);
      const { id } = await shop.pushed({});
      const send = await sendWhen(service, id, 'email', { state: 'accepted' });
      await providerUnderTest(name).delivered?.(service.url, `${shop.businessId}-${send.id}`);
      await sendWhen(service, id, 'email', { state: 'delivered' });
    }
  });
});

test('a text goes by the route of its country, from the sender there', async () => {
  const api = await mockApi({ status: 201, body: { sid: 'SM1' } });
  const { env } = await providerUnderTest('twilioSms').open();
  const service = await startProviderService({
    ...env,
    ...metaEnv(api.url),
    TWILIO_API_URL: api.url,
    SMS_ROUTES: 'GB=twilio:Acme,*=twilio',
  });
  const shop = await service.business({ name: 'Acme', credits: 5 });
  const froms: (string | null)[] = [];
  for (const recipient_phone of ['+447700900123', '+37255550134']) {
    const { id } = await shop.pushed({
      ...PUSH_ON_CHANNEL.sms,
      recipient_email: `${recipient_phone.slice(1)}@example.com`,
      recipient_phone,
    });
    await sendWhen(service, id, 'sms', { state: 'accepted' });
    froms.push(new URLSearchParams(api.taken.at(-1)?.body).get('From'));
  }
  expect(froms).toEqual(['Acme', SHARED_ENV.sms]);
});
