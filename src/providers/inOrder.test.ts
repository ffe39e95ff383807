import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inOrder, type Route, tookNothing } from './inOrder.ts';
import type { OutboundText, Provider, ProviderAnswer } from './provider.ts';
import type { OwnSenders } from './senders.ts';

const accepted: ProviderAnswer = { outcome: 'accepted', providerId: 'x' };
const notTaken: ProviderAnswer = { outcome: 'not_taken', errorCode: 'connection_refused' };
const unknown: ProviderAnswer = { outcome: 'unknown', errorCode: 'timeout' };
const notSetUp: ProviderAnswer = {
  outcome: 'not_set_up',
  concerns: 'account',
  errorCode: 'paused',
  sentence: 'Check the token.',
};
const refused = (because: 'busy' | 'over_limits' | 'message' | 'address'): ProviderAnswer => ({
  outcome: 'refused',
  because,
  errorCode: because,
});

const message: OutboundText = {
  channel: 'sms',
  reference: 'b-s',
  attempt: 1,
  businessId: 'b',
  sendId: 's',
  messageId: 'm',
  recipientId: 'r',
  to: '+447700900123',
  from: null,
  text: 'Hello',
};

const LETTERS = 'abcdefgh';

/** Providers named a, b, c … (or as told) that answer as told, and who was asked from which sender. */
function bench(
  answers: readonly ProviderAnswer[],
  first = 'a',
  route: Route | null = null,
  names: readonly string[] = [...LETTERS],
) {
  const asked: string[] = [];
  const providers = answers.map((answer, place): Provider<OutboundText> => {
    const name = names[place] ?? '';
    return {
      name,
      maxConcurrent: 10 - place,
      timeoutMs: 1_000,
      isPaused: () => answer.outcome === 'not_set_up',
      send: async ({ from }) => {
        asked.push(from === null ? name : `${name} from ${from}`);
        return answer;
      },
    };
  });
  const traffic = { first: () => first, called: () => {} };
  const all = inOrder(providers, { traffic, routeOf: () => route });
  const send = (own: OwnSenders = { from: null }) =>
    all.send({ ...message, ...own }, new AbortController().signal);
  return { asked, all, send };
}

describe('a message goes on only where a provider certainly took nothing', () => {
  test.each<[string, ProviderAnswer, string[]]>([
    ['it accepted', accepted, ['a']],
    ['it cannot be reached', notTaken, ['a', 'b']],
    ['it is not set up', notSetUp, ['a', 'b']],
    ['it is busy', refused('busy'), ['a', 'b']],
    ['we exceed its limits', refused('over_limits'), ['a', 'b']],
    ['nobody knows', unknown, ['a']],
    ['it refuses the message', refused('message'), ['a']],
    ['the address is no good', refused('address'), ['a']],
  ])('%s', async (_why, answer, asked) => {
    const it = bench([answer, accepted]);
    const response = await it.send();
    expect(it.asked).toEqual(asked);
    expect(response.outcome).toBe(asked.length === 2 ? 'accepted' : answer.outcome);
    expect(response.calls?.map(({ provider, because }) => `${provider}: ${because}`)).toEqual(
      asked.length === 2 ? ['a: order', 'b: next'] : ['a: order'],
    );
  });

  test('whatever they answer, at most one may have taken it, and nobody is asked twice', async () => {
    const any = fc.constantFrom(accepted, notTaken, unknown, notSetUp, refused('busy'), refused('message'));
    await fc.assert(
      fc.asyncProperty(fc.array(any, { minLength: 1, maxLength: 5 }), fc.nat(4), async (answers, at) => {
        const it = bench(answers, String.fromCharCode(97 + (at % answers.length)));
        const { calls = [], ...response } = await it.send();
        expect(new Set(it.asked).size).toBe(it.asked.length);
        const mayHaveTaken = calls.filter(({ answer }) => !tookNothing(answer));
        expect(mayHaveTaken.length).toBeLessThanOrEqual(1);
        // Nobody is asked after it, and its answer is the answer.
        const [it1] = mayHaveTaken;
        if (it1) expect([calls.at(-1), response]).toEqual([it1, it1.answer]);
        else expect(calls).toHaveLength(answers.length);
      }),
    );
  });
});

test.each<[ProviderAnswer[], string]>([
  [[notSetUp, notTaken], 'not_taken'],
  [[notTaken, notSetUp], 'not_taken'],
  [[notSetUp, notSetUp], 'not_set_up'],
  [[refused('busy'), notTaken], 'refused'],
])('of several that took nothing the first that is set up counts: %j', async (answers, outcome) => {
  expect(await bench(answers).send()).toMatchObject({ outcome });
});

test('traffic decides who is first; the others keep their order', async () => {
  const it = bench([notTaken, accepted, notTaken], 'c');
  const { calls = [] } = await it.send();
  expect(calls.map(({ provider, because }) => [provider, because])).toEqual([
    ['c', 'traffic'],
    ['a', 'next'],
    ['b', 'next'],
  ]);
});

test('a route decides before traffic, and its sender is used only there', async () => {
  const it = bench([accepted, notTaken], 'a', { provider: 'b', sender: 'Acme' });
  const { calls = [] } = await it.send();
  expect(it.asked).toEqual(['b from Acme', 'a']);
  expect(calls.map(({ because }) => because)).toEqual(['route', 'next']);
});

test.each<[OwnSenders, string[]]>([
  [{ from: null }, ['twilio from Route', 'vonage', 'http']],
  [{ from: 'Acme' }, ['twilio from Acme', 'vonage from Acme', 'http from Acme']],
  [
    { from: 'Acme', fromAt: { vonage: '+447700900777' } },
    ['twilio from Acme', 'vonage from +447700900777', 'http from Acme'],
  ],
  [
    { from: null, fromAt: { vonage: '+447700900777', meta: '106540352242922' } },
    ['twilio from Route', 'vonage from +447700900777', 'http'],
  ],
  [
    { from: `MG${'3'.repeat(32)}`, fromAt: { http: 'Acme' } },
    [`twilio from MG${'3'.repeat(32)}`, 'vonage', 'http from Acme'],
  ],
])('each is given the business’s own sender that is the provider’s: %j', async (own, asked) => {
  const names = ['twilio', 'vonage', 'http'];
  const it = bench([notTaken, notTaken, accepted], 'twilio', { provider: 'twilio', sender: 'Route' }, names);
  await it.send(own);
  expect(it.asked).toEqual(asked);
});

test('all of them together are as one: paused when each is, within the narrowest limit, for as long as all may take', () => {
  expect(bench([notSetUp, accepted]).all.isPaused?.()).toBe(false);
  expect(bench([notSetUp, notSetUp]).all.isPaused?.()).toBe(true);
  expect(bench([accepted, accepted]).all).toMatchObject({ name: 'a,b', maxConcurrent: 9, timeoutMs: 2_000 });
});

test('after a stop nobody else is asked', async () => {
  const it = bench([notTaken, accepted]);
  expect(await it.all.send(message, AbortSignal.abort())).toMatchObject({ outcome: 'not_taken' });
  expect(it.asked).toEqual(['a']);
});
