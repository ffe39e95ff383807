import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ORDER_STATUSES } from '../../src/contract/orderStatuses.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { LANGUAGES } from '../../src/language/languages.ts';
import { whatsappTemplates } from '../../src/nudges/whatsappTemplate.ts';
import { changeTemplateState, prepareTranslations } from '../../src/templates/templates.ts';
import { openConsole } from '../cli/console.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import {
  ACCOUNT_SID,
  httpWhatsappEnv,
  metaEnv,
  twilioWhatsappEnv,
  WABA_ID,
} from '../support/providerEnvironments.ts';
import { metaError } from './adapters/meta.ts';
import { twilioError } from './adapters/twilio.ts';
import { type MockReply, mockApi, type ReceivedRequest } from './mockApi.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());
beforeEach(() => database.pool.query("update whatsapp_templates set state = 'approved'"));

const [shipped] = whatsappTemplates.filter(({ name }) => name.includes('shipped'));
const states = async (): Promise<Record<string, string>> => {
  const { rows } = await database.pool.query('select order_status, state from whatsapp_templates');
  return Object.fromEntries(rows.map(({ order_status, state }) => [order_status, state]));
};
const allBut = (status: string, one: string, others: string) =>
  Object.fromEntries(ORDER_STATUSES.map((each) => [each, each === status ? one : others]));

/** A WhatsApp Business Account with these templates (`name` or `name language`); what is made is in review at once. */
async function metaAccount(templates: Record<string, string>, creating: MockReply | null = null) {
  const listed = ({ path }: ReceivedRequest): MockReply => {
    const asked = new URL(path, 'http://graph.example').searchParams.get('name') ?? '';
    // As Meta does, whatever begins so.
    const data = Object.entries(templates)
      .filter(([name]) => name.startsWith(asked))
      .map(([called, status], index) => {
        const [name, language = 'en'] = called.split(' ');
        return { id: String(1_000 + index), name, status, language };
      });
    return { status: 200, body: { data } };
  };
  const api = await mockApi(
    creating ?? { status: 200, body: { id: '7', status: 'PENDING', category: 'UTILITY' } },
    listed,
  );
  return { api, cli: openConsole(database.url, metaEnv(api.url)) };
}

const every = (status: string) => Object.fromEntries(whatsappTemplates.map(({ name }) => [name, status]));

describe('template sync with Meta', () => {
  test('hands in what is missing, in the words that are sent, and holds it until it is approved', async () => {
    const { api, cli } = await metaAccount({});
    const { items } = await cli.json('template', 'sync');
    expect(items).toHaveLength(ORDER_STATUSES.length);
    expect(items).toContainEqual({
      order_status: 'shipped',
      template: 'waypost_order_shipped_v1',
      review: 'PENDING',
      state: 'in_review',
      action: 'created',
      language: 'en',
    });
    expect(new Set(Object.values(await states()))).toEqual(new Set(['in_review']));
    const made = api.taken.filter(({ method }) => method === 'POST');
    expect(made).toHaveLength(ORDER_STATUSES.length);
    expect(made.map(({ path }) => path)).toEqual(made.map(() => `/v23.0/${WABA_ID}/message_templates`));
    expect(made[0]?.headers.authorization).toBe('Bearer meta-token');
    expect(made.map(({ body }) => JSON.parse(body))).toContainEqual({
      name: shipped?.name,
      category: 'UTILITY',
      language: 'en',
      parameter_format: 'POSITIONAL',
      components: [{ type: 'BODY', text: shipped?.body, example: { body_text: [shipped?.example] } }],
    });
  });

  test('learns how the reviews stand, and makes nothing twice', async () => {
    const { api, cli } = await metaAccount({ ...every('APPROVED'), waypost_order_delayed_v1: 'REJECTED' });
    await cli.json('template', 'sync');
    expect(await states()).toEqual(allBut('delayed', 'in_review', 'approved'));
    expect(api.taken.filter(({ method }) => method === 'POST')).toEqual([]);
    expect(await cli.text('template', 'sync')).toMatch(
      /^delayed +waypost_order_delayed_v1 +REJECTED +in_review/m,
    );
  });

  test('a template whose name merely begins alike, or in another language, is not it', async () => {
    const { waypost_order_shipped_v1: _, ...others } = every('APPROVED');
    const { api, cli } = await metaAccount({
      ...others,
      waypost_order_shipped_v10: 'APPROVED',
      'waypost_order_shipped_v1 et': 'APPROVED',
    });
    await cli.json('template', 'sync');
    expect(await states()).toEqual(allBut('shipped', 'in_review', 'approved'));
    expect(api.taken.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  test.each<[string, MockReply, string]>([
    [
      'a token that expired',
      metaError(401, 190),
      'The token has expired or was revoked (190): renew META_ACCESS_TOKEN.',
    ],
    [
      'a refusal, in the platform’s own words',
      {
        status: 400,
        body: { error: { code: 100, message: 'Invalid parameter', error_user_msg: 'This name is taken.' } },
      },
      'WhatsApp refused the request (meta_100): This name is taken.',
    ],
    ['a server that is down', { status: 503 }, 'WhatsApp refused the request (meta_http_503).'],
  ])('%s is one sentence, and what was sendable stays so', async (_what, reply, sentence) => {
    const { cli } = await metaAccount({}, reply);
    expect(await cli.mistake('template', 'sync')).toBe(sentence);
    expect(new Set(Object.values(await states()))).toEqual(new Set(['approved']));
  });
});

describe('template sync in another language', () => {
  const translated = async (): Promise<unknown[]> =>
    (
      await database.pool.query(
        'select language, order_status, state from template_translations order by 1, 2',
      )
    ).rows;
  afterEach(() => database.pool.query('delete from template_translations'));

  test('hands in that language alone, under the platform’s name of it, and leaves English as it is', async () => {
    const { api, cli } = await metaAccount(every('APPROVED'));
    const { items } = await cli.json('template', 'sync', '--language', 'pt');
    expect(items).toContainEqual({
      order_status: 'shipped',
      template: 'waypost_order_shipped_v1',
      review: 'PENDING',
      state: 'in_review',
      action: 'created',
      language: 'pt',
    });
    const made = api.taken.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));
    expect(made.map(({ language }) => language)).toEqual(ORDER_STATUSES.map(() => 'pt_PT'));
    expect(made.map(({ components }) => components[0].text)).toContainEqual(
      expect.stringContaining('a sua encomenda {{2}} foi enviada'),
    );
    expect(await translated()).toHaveLength(ORDER_STATUSES.length);
    expect(new Set(Object.values(await states()))).toEqual(new Set(['approved']));
  });

  test('all: every language, each with its own review', async () => {
    const { cli } = await metaAccount({ ...every('APPROVED'), 'waypost_order_shipped_v1 et': 'APPROVED' });
    const { items } = await cli.json('template', 'sync', '--language', 'all');
    expect(items).toHaveLength(ORDER_STATUSES.length * LANGUAGES.length);
    const rows = await translated();
    expect(rows).toContainEqual({ language: 'et', order_status: 'shipped', state: 'approved' });
    expect(rows).toContainEqual({ language: 'fi', order_status: 'shipped', state: 'in_review' });
  });

  test('a language that is none of ours is refused', async () => {
    const { cli } = await metaAccount({});
    expect(await cli.mistake('template', 'sync', '--language', 'tlh')).toContain('--language');
  });

  test('template set takes a language', async () => {
    const cli = openConsole(database.url);
    const set = ['template', 'set', '--status', 'shipped', '--state', 'approved', '--language', 'et'];
    expect(await cli.json(...set)).toEqual({ order_status: 'shipped', state: 'approved', language: 'et' });
    expect(await translated()).toEqual([{ language: 'et', order_status: 'shipped', state: 'approved' }]);
  });
});

describe('template sync with Twilio', () => {
  /** An account with these content templates, over two pages. */
  async function twilioAccount(contents: unknown[], creating: (taken: ReceivedRequest) => MockReply) {
    const half = Math.ceil(contents.length / 2);
    const api = await mockApi(
      { status: 500 },
      ({ path }) => {
        const second = path.includes('PageToken');
        return {
          status: 200,
          body: {
            contents: second ? contents.slice(half) : contents.slice(0, half),
            meta: { next_page_url: second ? null : `${api.url}/v1/ContentAndApprovals?PageToken=2` },
          },
        };
      },
      creating,
    );
    return { api, cli: openConsole(database.url, twilioWhatsappEnv(api.url)) };
  }
  const content = (name: string, status: string | null, sid = `HX${'2'.repeat(32)}`) => ({
    sid,
    friendly_name: name,
    language: 'en',
    approval_requests: status === null ? null : { name, status },
  });
  const making = ({ path }: ReceivedRequest): MockReply =>
    path.endsWith('/ApprovalRequests/whatsapp')
      ? { status: 201, body: { status: 'received' } }
      : { status: 201, body: { sid: `HX${'9'.repeat(32)}` } };

  test('makes what is missing and hands it in', async () => {
    const { api, cli } = await twilioAccount([], making);
    const { items } = await cli.json('template', 'sync');
    expect(items).toContainEqual(
      expect.objectContaining({
        order_status: 'shipped',
        review: 'received',
        state: 'in_review',
        action: 'created',
      }),
    );
    const posts = api.taken.filter(({ method }) => method === 'POST');
    expect(posts).toHaveLength(2 * ORDER_STATUSES.length);
    const made = posts.find(({ body }) => body.includes('"friendly_name":"waypost_order_shipped_v1"'));
    expect(JSON.parse(made?.body ?? '')).toEqual({
      friendly_name: shipped?.name,
      language: 'en',
      variables: { 1: shipped?.example[0], 2: shipped?.example[1], 3: shipped?.example[2] },
      types: { 'twilio/text': { body: shipped?.body } },
    });
    expect(made?.headers.authorization).toMatch(
      `Basic ${Buffer.from(`${ACCOUNT_SID}:12345678901234567890123456789012`).toString('base64')}`,
    );
    const review = posts.find(
      ({ body }) => body === JSON.stringify({ name: shipped?.name, category: 'UTILITY' }),
    );
    expect(review?.path).toBe(`/v1/Content/HX${'9'.repeat(32)}/ApprovalRequests/whatsapp`);
  });

  test('hands in what never was, prefers what is approved, and reads every page', async () => {
    const approved = whatsappTemplates.map(({ name }) => content(name, 'approved'));
    const others = approved.filter(({ friendly_name }) => !/shipped|delayed/.test(friendly_name));
    const { api, cli } = await twilioAccount(
      [
        content('waypost_order_delayed_v1', 'rejected'),
        content('waypost_order_shipped_v1', null, `HX${'3'.repeat(32)}`),
        ...others,
        content('waypost_order_delayed_v1', 'approved'),
      ],
      making,
    );
    await cli.json('template', 'sync');
    expect(await states()).toEqual(allBut('shipped', 'in_review', 'approved'));
    const posts = api.taken.filter(({ method }) => method === 'POST');
    expect(posts.map(({ path }) => path)).toEqual([
      `/v1/Content/HX${'3'.repeat(32)}/ApprovalRequests/whatsapp`,
    ]);
  });

  test('a wrong credential is one sentence', async () => {
    const { cli } = await twilioAccount([], () => twilioError(401, 20003));
    expect(await cli.mistake('template', 'sync')).toBe(
      'Twilio refuses the credentials (20003): check TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN.',
    );
  });
});

test('in the sandbox, and over a receiver of ours, there is nobody to ask', async () => {
  const mistake = (env = {}) => openConsole(database.url, env).mistake('template', 'sync');
  expect(await mistake()).toBe(
    'WHATSAPP_PROVIDER is sandbox, which has no template reviews: use template set.',
  );
  expect(await mistake(httpWhatsappEnv('https://gateway.example'))).toBe(
    'WHATSAPP_PROVIDER is http, which has no template reviews: use template set.',
  );
});

test('what the sandbox sent without a review is not sent by a real provider until it is submitted', async () => {
  const translations = async () =>
    (
      await database.pool.query(
        'select state, count(*)::int from template_translations group by 1 order by 1',
      )
    ).rows;
  // The sandbox sends no translation of what is in review in English.
  await database.pool.query(
    `update whatsapp_templates set state = 'in_review' where order_status = 'in_transit'`,
  );
  await prepareTranslations(database.pool, true);
  const all = (ORDER_STATUSES.length - 1) * (LANGUAGES.length - 1);
  expect(await translations()).toEqual([{ state: 'sandbox', count: all }]);
  const held = { status: 'shipped', language: 'et', state: 'in_review', actor: 'operator' } as const;
  expect(await changeTemplateState({ pool: database.pool, clock: systemClock }, held)).toBe(true);
  await prepareTranslations(database.pool, true);
  expect(await translations()).toEqual([
    { state: 'in_review', count: 1 },
    { state: 'sandbox', count: all - 1 },
  ]);
  await prepareTranslations(database.pool, false);
  expect(await translations()).toEqual([{ state: 'in_review', count: 1 }]);
});
