import { describe, expect, test } from 'vitest';
import type { PaidChannel } from '../contract/channels.ts';
import { NOT_NEEDED, OUTCOME_UNKNOWN, type SendState } from '../outbox/states.ts';
import { type EarlierSend, judgeResend, type ResendContext } from './resendVerdict.ts';

const earlier = (change: Partial<EarlierSend>): EarlierSend => ({
  id: 'earlier',
  channel: 'sms',
  purpose: 'nudge',
  state: 'queued',
  reason: null,
  fallback_of: null,
  ...change,
});

/** A message whose text may go out: an account and a person whom nothing stops. */
const context = (change: Partial<ResendContext> = {}): ResendContext => ({
  channel: 'sms',
  messageStatus: 'active',
  sends: [],
  account: {
    active: true,
    paused: false,
    planLapsed: false,
    modes: { sms: 'on_request', whatsapp: 'on_request' },
    ownEmailSender: false,
    countries: null,
  },
  person: {
    unsubscribed: false,
    suppressed: false,
    platformSuppressed: false,
    country: 'EE',
    stopped: { sms: false, whatsapp: false },
    whatsappOptedIn: true,
    notOnWhatsapp: false,
  },
  templateSendable: true,
  price: 1,
  spendable: 1,
  rateLimited: false,
  ...change,
});

const send = (held: string | null = null) => ({ kind: 'send', held });
const skip = (reason: string) => ({ kind: 'skip', reason });
const conflict = (code: string) => ({ kind: 'conflict', code });

describe.each(['sms', 'whatsapp'] as const)('resending by %s', (channel: PaidChannel) => {
  const other: PaidChannel = channel === 'sms' ? 'whatsapp' : 'sms';
  const having = (...sends: Partial<EarlierSend>[]) =>
    judgeResend(context({ channel, sends: sends.map((one) => earlier({ channel, ...one })) }));

  test('a channel that never had a send is sent, also where the account has it on request', () => {
    expect(having()).toEqual(send());
  });

  test.each(['queued', 'submitting', 'accepted', 'delivered', 'read'] as const)(
    'a send that is %s is refused as already sent',
    (state) => {
      expect(having({ state })).toEqual(conflict(`${channel}.already_sent`));
    },
  );

  test('a send whose answer was lost may have arrived', () => {
    expect(having({ state: 'failed', reason: OUTCOME_UNKNOWN })).toEqual(
      conflict(`${channel}.may_have_sent`),
    );
  });

  test('a send whose answer was lost still counts when a later one was rejected', () => {
    expect(having({ state: 'failed', reason: OUTCOME_UNKNOWN }, { state: 'rejected' })).toEqual(
      conflict(`${channel}.may_have_sent`),
    );
  });

  test.each<[SendState, string | null]>([
    ['failed', null],
    ['rejected', 'platform_limited'],
    ['skipped', 'insufficient_credit'],
    ['cancelled', 'superseded'],
    ['cancelled', NOT_NEEDED],
  ])('after one that ended %s (%s) it is sent', (state, reason) => {
    expect(having({ state, reason })).toEqual(send());
  });

  test('while armed for escalation it is sent now instead', () => {
    expect(having({ id: 'armed', state: 'held' })).toEqual(send('armed'));
  });

  test('an armed send does not hide one that was delivered before', () => {
    expect(having({ state: 'delivered' }, { id: 'armed', state: 'held' })).toEqual(
      conflict(`${channel}.already_sent`),
    );
  });

  test('an email, or a nudge on the other channel, is not in the way', () => {
    const sends = [
      earlier({ channel: 'email', state: 'delivered' }),
      earlier({ channel: other, state: 'delivered' }),
    ];
    expect(judgeResend(context({ channel, sends }))).toEqual(send());
  });

  test.each([
    ['retracted', 'message_retracted'],
    ['obsolete', 'message_obsolete'],
  ] as const)('a message that is %s is skipped, whatever went before', (messageStatus, reason) => {
    expect(judgeResend(context({ channel, messageStatus }))).toEqual(skip(reason));
    const sends = [earlier({ channel, state: 'delivered' })];
    expect(judgeResend(context({ channel, messageStatus, sends }))).toEqual(skip(reason));
  });

  test.each([
    ['sending_paused', { account: { ...context().account, paused: true } }],
    [`${channel}_not_enabled`, { account: withMode(channel, 'not_enabled') }],
    [`${channel}_disabled`, { account: withMode(channel, 'off') }],
    ['unsubscribed', { person: { ...context().person, unsubscribed: true } }],
    ['no_phone', { person: { ...context().person, country: null } }],
    ['stopped', { person: { ...context().person, stopped: { sms: true, whatsapp: true } } }],
    ['country_not_allowed', { account: { ...context().account, countries: ['FI'] } }],
    ['insufficient_credit', { spendable: 0 }],
    ['insufficient_credit', { price: 2 }],
    ['rate_limited', { rateLimited: true }],
  ])('a rule that stops it is a reason: %s', (reason, change) => {
    expect(judgeResend(context({ channel, ...change }))).toEqual(skip(reason));
  });

  test('that it went already is said before any rule', () => {
    const sends = [earlier({ channel, state: 'accepted' })];
    expect(judgeResend(context({ channel, sends, spendable: 0 }))).toEqual(
      conflict(`${channel}.already_sent`),
    );
  });

  test('an armed send that a rule stops stays armed', () => {
    const sends = [earlier({ channel, state: 'held' })];
    expect(judgeResend(context({ channel, sends, spendable: 0 }))).toEqual(skip('insufficient_credit'));
  });
});

describe('resending by WhatsApp alone', () => {
  const having = (...sends: Partial<EarlierSend>[]) =>
    judgeResend(context({ channel: 'whatsapp', sends: sends.map(earlier) }));
  const failed = { id: 'w', channel: 'whatsapp', state: 'failed' } as const;
  const fallback = { channel: 'sms', purpose: 'fallback', fallback_of: 'w' } as const;

  test.each(['queued', 'submitting', 'accepted', 'delivered'] as const)(
    'is refused once the text that stands in for it is %s',
    (state) => {
      expect(having(failed, { ...fallback, state })).toEqual(conflict('whatsapp.escalated_to_sms'));
    },
  );

  test('is refused as escalated, too, when the answer of both was lost', () => {
    const unknown = { state: 'failed', reason: OUTCOME_UNKNOWN } as const;
    expect(having({ ...failed, ...unknown }, { ...fallback, ...unknown })).toEqual(
      conflict('whatsapp.escalated_to_sms'),
    );
  });

  test('is refused when the text went at once, since WhatsApp could not carry the message', () => {
    expect(having({ ...fallback, fallback_of: null, state: 'accepted' })).toEqual(
      conflict('whatsapp.escalated_to_sms'),
    );
  });

  test('is refused as already sent while WhatsApp has no status, though the text went meanwhile', () => {
    expect(having({ ...failed, state: 'accepted' }, { ...fallback, state: 'delivered' })).toEqual(
      conflict('whatsapp.already_sent'),
    );
  });

  test.each(['held', 'failed', 'rejected', 'skipped', 'cancelled'] as const)(
    'goes on when the text that should stand in for it is %s',
    (state) => {
      expect(having(failed, { ...fallback, state })).toEqual(send());
    },
  );

  test('goes on when a text of its own went beside it', () => {
    expect(having(failed, { channel: 'sms', purpose: 'nudge', state: 'delivered' })).toEqual(send());
  });

  test.each([
    ['not_opted_in', { person: { ...context().person, whatsappOptedIn: false } }],
    ['not_reachable', { person: { ...context().person, notOnWhatsapp: true } }],
    ['template_not_sendable', { templateSendable: false }],
  ])('is stopped by its own rules: %s', (reason, change) => {
    expect(judgeResend(context({ channel: 'whatsapp', ...change }))).toEqual(skip(reason));
    expect(judgeResend(context({ channel: 'sms', ...change }))).toEqual(send());
  });
});

function withMode(channel: PaidChannel, mode: 'off' | 'not_enabled') {
  const { account } = context();
  return { ...account, modes: { ...account.modes, [channel]: mode } };
}
