import { expect, onTestFinished, test } from 'vitest';
import { ORDER_STATUSES } from '../../src/contract/orderStatuses.ts';
import { metaError } from '../providers/adapters/meta.ts';
import { type MockReply, mockApi } from '../providers/mockApi.ts';
import {
  advanceMinutes,
  PUSH_ON_CHANNEL,
  providerUnderTest,
  startProviderService,
} from '../providers/providerService.ts';
import { metaEnv } from '../support/providerEnvironments.ts';
import { startService } from '../support/service.ts';
import { eventually } from '../support/waiting.ts';
import { joinAsOperator, type MemberBrowser, signedIn } from './memberBrowser.ts';

const PROVIDERS = '/dashboard/operator/providers';
const TEMPLATES = '/dashboard/operator/templates';

test('a wrong credential shows with its words and an open circuit, and is gone once it is put right', async () => {
  const provider = await providerUnderTest('postmark').open();
  provider.behave('refuses the credentials');
  const service = await startProviderService(provider.env);
  const operator = await signedIn(service, (await joinAsOperator(service, 'op@waypost.example')).id);
  const shop = await service.business();
  await shop.pushed(PUSH_ON_CHANNEL.email);
  const sentence = 'Postmark refuses the token (10): check POSTMARK_SERVER_TOKEN.';
  const text = await eventually(async () => {
    const page = (await operator.get(PROVIDERS)).text;
    expect(page).toContain(sentence);
    return page;
  });
  expect(text).toMatch(/Postmark\.[^<]*<\/dd>[\s\S]*<span class="badge bad">Open<\/span>/);
  expect(text).toContain('Refused: the account or its sender');
  expect(text).toMatch(/At most [\d,]+ per second and worker/);
  provider.behave('accepts the message');
  await eventually(async () => {
    await advanceMinutes(service, 5);
    const page = (await operator.get(PROVIDERS)).text;
    expect(page).not.toContain(sentence);
    expect(page).not.toContain('badge bad');
    expect(page).toContain('Accepted');
  });
});

test('several providers of a channel stand in their order, each with how many messages it is asked first for', async () => {
  const [first, second] = [
    await providerUnderTest('postmark').open(),
    await providerUnderTest('resend').open(),
  ];
  const env = { ...first.env, ...second.env, EMAIL_PROVIDER: 'postmark,resend', EMAIL_MAX_PER_SECOND: '7' };
  const service = await startProviderService(env);
  const operator = await signedIn(service, (await joinAsOperator(service, 'op@waypost.example')).id);
  const page = (await operator.get(PROVIDERS)).text;
  expect([...page.matchAll(/<dt>Provider \d<\/dt><dd>([^<]*)/g)].map(([, words]) => words)).toEqual([
    'Postmark, asked first for 100 of 100 messages. At most 7 per second and worker.',
    'Resend, asked first for 0 of 100 messages. At most 7 per second and worker.',
  ]);
});

/** A service whose templates Meta reviews, and an operator in it. */
async function withReviews(
  find: MockReply,
  create: MockReply,
): Promise<{ operator: MemberBrowser; states: () => Promise<string[]>; taken: { method: string }[] }> {
  const api = await mockApi(create, ({ method }) => (method === 'GET' ? find : null));
  const service = await startService(metaEnv(api.url));
  onTestFinished(() => service.close());
  const operator = await signedIn(service, (await joinAsOperator(service, 'op@waypost.example')).id);
  const states = async () => {
    const { rows } = await service.pool.query<{ state: string }>(
      'select distinct state from whatsapp_templates order by 1',
    );
    return rows.map(({ state }) => state);
  };
  return { operator, states, taken: api.taken };
}

test('templates that are missing are submitted, and held until they are approved', async () => {
  const { operator, states, taken } = await withReviews(
    { status: 200, body: { data: [] } },
    { status: 200, body: { id: '7', status: 'PENDING', category: 'UTILITY' } },
  );
  const page = await operator.submit(TEMPLATES, `${TEMPLATES}/sync`);
  expect(page.status).toBe(200);
  expect(page.text).toContain(
    `0 of ${ORDER_STATUSES.length} templates are approved. ${ORDER_STATUSES.length} were submitted now.`,
  );
  expect(page.text).toContain('WhatsApp says PENDING');
  expect(taken.filter(({ method }) => method === 'POST')).toHaveLength(ORDER_STATUSES.length);
  expect(await states()).toEqual(['in_review']);
});

test('a refusal of the platform is said in its words, and nothing is changed', async () => {
  const refusal = metaError(401, 190);
  const { operator, states } = await withReviews(refusal, refusal);
  const before = await states();
  const page = await operator.submit(TEMPLATES, `${TEMPLATES}/sync`);
  expect([page.status, page.text]).toEqual([502, expect.stringContaining('renew META_ACCESS_TOKEN')]);
  expect(before).toEqual(['approved', 'in_review']);
  expect(await states()).toEqual(before);
});
