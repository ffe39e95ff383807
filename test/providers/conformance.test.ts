import { describe, expect, test } from 'vitest';
import { eventually } from '../support/waiting.ts';
import { OWN_SENDERS, REFERENCE, SERVER_BEHAVIOURS, type ServerBehaviour } from './adapters/bench.ts';
import { ADAPTERS } from './adapters.ts';

/** What a provider's behaviour means for a send, the same for every provider. */
const MEANING: Record<ServerBehaviour, Record<string, unknown>> = {
  'accepts the message': { outcome: 'accepted', providerId: expect.stringMatching(/\S/) },
  'is busy': { outcome: 'refused', because: expect.stringMatching(/^(busy|over_limits)$/) },
  'refuses the message': { outcome: 'refused', because: 'message' },
  'refuses the credentials': {
    outcome: 'not_set_up',
    concerns: 'account',
    // Says what to look at.
    sentence: expect.stringMatching(/^[A-Z].*[A-Z]{3,}_[A-Z_]+.*\.$/),
  },
  'refuses the sender': { outcome: 'not_set_up', concerns: 'sender', sentence: expect.stringMatching(/\.$/) },
  'closes the connection after the request': { outcome: 'unknown' },
  'never answers': { outcome: 'unknown' },
  'refuses the connection': { outcome: 'not_taken' },
};

describe.each(ADAPTERS.map((adapter) => [adapter.name, adapter] as const))('%s', (_name, adapter) => {
  const trySend = async (manner: ServerBehaviour) => {
    const bench = await adapter.open();
    await bench.behave(manner);
    return { manner, answer: await bench.send(), submissions: bench.submissions() };
  };
  /** One send with every behaviour, at once: one that is never answered takes a second. */
  let tried: Promise<Awaited<ReturnType<typeof trySend>>[]> | undefined;
  const sends = () => {
    tried ??= Promise.all(SERVER_BEHAVIOURS.map(trySend));
    return tried;
  };

  test.each(SERVER_BEHAVIOURS)('the outcome is right when the provider %s', async (manner) => {
    const sent = (await sends()).find((one) => one.manner === manner);
    expect(sent?.answer).toMatchObject(MEANING[manner]);
  });

  test('carries our reference, to one person, from the shared sender or the business’s own', async () => {
    const bench = await adapter.open();
    await bench.send();
    const own = {
      'twilio sms': OWN_SENDERS.sms,
      vonage: OWN_SENDERS.sms,
      meta: OWN_SENDERS.id,
    }[adapter.name];
    const from = own ?? (adapter.name === 'twilio whatsapp' ? OWN_SENDERS.whatsapp : OWN_SENDERS.email);
    await bench.send({ from });
    const [shared, businessOwn] = bench.submissions();
    expect(shared).toMatchObject({
      reference: REFERENCE,
      to: expect.stringMatching(/^(whatsapp:)?\+447700900123$|^ann@example\.com$/),
    });
    expect(businessOwn?.from).toContain(from);
    expect(shared?.from).not.toContain(from);
  });

  test('never submits a second time by itself', async () => {
    for (const { submissions: made } of await sends()) {
      // An idempotency key makes the very same request the very same submission.
      expect(new Set(made.map(({ whole }) => whole)).size).toBeLessThanOrEqual(1);
      if (adapter.name !== 'resend') expect(made.length).toBeLessThanOrEqual(1);
    }
  });

  test('makes no call once it is aborted', async () => {
    const bench = await adapter.open();
    expect(await bench.send({}, AbortSignal.abort())).toMatchObject({ outcome: 'not_taken' });
    expect(bench.submissions()).toEqual([]);
  });

  test('aborted during the call, has an unknown outcome', async () => {
    const bench = await adapter.open();
    await bench.behave('never answers');
    const abort = new AbortController();
    const answer = bench.send({}, abort.signal);
    await eventually(() => expect(bench.submissions()).toHaveLength(1));
    abort.abort();
    expect(await answer).toMatchObject({ outcome: 'unknown' });
    expect(bench.submissions().length).toBe(1);
  });

  test('goes on working after a failure', async () => {
    const bench = await adapter.open();
    await bench.behave('closes the connection after the request');
    await bench.send();
    await bench.behave('accepts the message');
    expect(await bench.send({ attempt: 2 })).toMatchObject({ outcome: 'accepted' });
    expect(await bench.send({ attempt: 3 })).toMatchObject({ outcome: 'accepted' });
  });
});
