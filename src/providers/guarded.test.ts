import { describe, expect, test } from 'vitest';
import { later, SECOND } from '../kit/clock.ts';
import { createFaults } from './faults.ts';
import { guarded } from './guarded.ts';
import type { OutboundText, ProviderResponse } from './provider.ts';

const text = (from: string | null = null): OutboundText => ({
  channel: 'sms',
  reference: 'b-s',
  attempt: 1,
  businessId: 'b',
  sendId: 's',
  messageId: 'm',
  recipientId: 'r',
  to: '+447700900123',
  from,
  text: 'Hello',
});

const accepted: ProviderResponse = { outcome: 'accepted', providerId: 'x' };
const wrongToken: ProviderResponse = {
  outcome: 'not_set_up',
  concerns: 'account',
  errorCode: 'e',
  sentence: 'Check the token.',
};
const wrongSender: ProviderResponse = {
  outcome: 'not_set_up',
  concerns: 'sender',
  errorCode: 'e',
  sentence: 'Check the sender.',
};

/** A guarded provider that answers what it is told, and what became of it. */
function bench(perSecond = 1_000) {
  let at = new Date('2026-08-20T09:00:00Z');
  const said: string[] = [];
  const silent = () => {};
  const log = {
    debug: silent,
    info: silent,
    warn: silent,
    error: (_: unknown, sentence: string) => void said.push(sentence),
  };
  const clock = { now: () => at };
  const faults = createFaults({ clock, log });
  const calls: OutboundText[] = [];
  let answer: ProviderResponse | ((message: OutboundText) => ProviderResponse) = accepted;
  const provider = guarded<OutboundText>(
    'sms',
    {
      name: 'test',
      maxConcurrent: 20,
      timeoutMs: 1_000,
      send: async (message) => {
        calls.push(message);
        return typeof answer === 'function' ? answer(message) : answer;
      },
    },
    { clock, faults, perSecond },
  );
  return {
    provider,
    faults,
    said,
    calls,
    answer: (next: typeof answer) => (answer = next),
    pass: (seconds: number) => (at = later(at, seconds * SECOND)),
    send: (from: string | null = null) => provider.send(text(from), new AbortController().signal),
  };
}

describe('a wrong credential', () => {
  test('is said aloud once, shows, and pauses the channel: nothing more is called', async () => {
    const it = bench();
    it.answer(wrongToken);
    await Promise.all([it.send(), it.send(), it.send()]);
    expect(it.said).toEqual(['Check the token.']);
    expect(it.faults.sentences()).toEqual(['Check the token.']);
    expect(it.faults.count()).toEqual({ email: 0, sms: 1, whatsapp: 0 });
    expect(it.provider.isPaused()).toBe(true);
    expect(await it.send()).toMatchObject({ outcome: 'not_set_up', errorCode: 'paused' });
    expect(it.calls).toHaveLength(3);
  });

  test('is tried again after a while, by one call; put right, everything goes on and nothing shows any more', async () => {
    const it = bench();
    it.answer(wrongToken);
    await it.send();
    it.pass(30);
    expect(it.provider.isPaused()).toBe(false);
    await Promise.all([it.send(), it.send()]);
    expect(it.calls).toHaveLength(2);
    it.answer(accepted);
    it.pass(60);
    expect(await it.send()).toEqual(accepted);
    expect(it.faults.sentences()).toEqual([]);
    expect(await Promise.all([it.send(), it.send()])).toEqual([accepted, accepted]);
    expect(it.said).toEqual(['Check the token.']);
  });

  test.each<[string, ProviderResponse, boolean]>([
    ['a refusal of the message', { outcome: 'refused', because: 'message', errorCode: 'e' }, true],
    ['a refusal for being busy', { outcome: 'refused', because: 'busy', errorCode: 'e' }, false],
    ['no connection', { outcome: 'not_taken', errorCode: 'e' }, false],
    ['a lost answer', { outcome: 'unknown', errorCode: 'e' }, false],
  ])('after the wait, %s %s', async (_what, answer, tells) => {
    const it = bench();
    it.answer(wrongToken);
    await it.send();
    it.pass(30);
    it.answer(answer);
    await it.send();
    expect(it.faults.sentences()).toEqual(tells ? [] : ['Check the token.']);
    // Whatever it was, the way is not blocked: the next one may try.
    it.answer(accepted);
    expect(await it.send()).toEqual(accepted);
  });

  test('a provider that throws while it is tried leaves room for the next', async () => {
    const it = bench();
    it.answer(wrongToken);
    await it.send();
    it.pass(30);
    it.answer(() => {
      throw new Error('broken');
    });
    await expect(it.send()).rejects.toThrow('broken');
    it.answer(accepted);
    expect(await it.send()).toEqual(accepted);
  });
});

describe('a sender that is not allowed', () => {
  test('of one business pauses that sender alone', async () => {
    const it = bench();
    it.answer((message) => (message.from === '+1' ? wrongSender : accepted));
    await it.send('+1');
    expect(it.provider.isPaused()).toBe(false);
    expect(await it.send('+1')).toMatchObject({ errorCode: 'paused' });
    expect(await it.send('+2')).toEqual(accepted);
    expect(await it.send()).toEqual(accepted);
    expect(it.faults.sentences()).toEqual(['Check the sender.']);
    it.pass(30);
    it.answer(accepted);
    expect(await it.send('+1')).toEqual(accepted);
    expect(it.faults.sentences()).toEqual([]);
  });

  test('that is the shared one pauses the channel', async () => {
    const it = bench();
    it.answer(wrongSender);
    await it.send();
    expect(it.provider.isPaused()).toBe(true);
  });
});

test('an alarm about one message is shown, and pauses nothing', async () => {
  const it = bench();
  it.answer({
    outcome: 'refused',
    because: 'message',
    errorCode: 'twilio_21408',
    alarm: 'Allow the country.',
  });
  await it.send();
  await it.send();
  expect(it.said).toEqual(['Allow the country.']);
  expect(it.provider.isPaused()).toBe(false);
  expect(it.faults.sentences()).toEqual(['Allow the country.']);
  it.pass(3_600);
  expect(it.faults.sentences()).toEqual([]);
});

test('calls begin no faster than the pace', async () => {
  const it = bench(50);
  const began = performance.now();
  await Promise.all(Array.from({ length: 11 }, () => it.send()));
  expect(performance.now() - began).toBeGreaterThanOrEqual(190);
  expect(it.calls).toHaveLength(11);
});

test('a slow pace has few calls under way, so that none waits for its turn past its time', () => {
  expect(bench(2).provider.maxConcurrent).toBe(4);
  expect(bench(1_000).provider.maxConcurrent).toBe(20);
});
