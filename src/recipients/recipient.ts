import type { optInSkips } from '../contract/reasons.ts';
import type { Phone } from '../kit/phoneNumber.ts';

export type ConsentStatus = 'none' | 'active' | 'stopped';
/** From the weakest to the firmest. */
export const STOP_MAKERS = ['text', 'inbox', 'dashboard'] as const;
export type StopMaker = (typeof STOP_MAKERS)[number];
export type NumberSource = 'push' | 'api' | 'admin';

/** A person with one business, as the consent rules see them. */
export interface Recipient {
  id: string;
  email: string;
  phone: Phone | null;
  smsStatus: ConsentStatus;
  smsStatusAt: Date | null;
  smsStoppedBy: StopMaker | null;
  smsConsentAt: Date | null;
  smsConsentSource: NumberSource | null;
  whatsappStatus: ConsentStatus;
  whatsappStatusAt: Date | null;
  /** A BCP 47 tag as a push gave it. */
  language: string | null;
}

export interface NumberFacts {
  heldBy: string | null;
  smsStop: StopMaker | null;
  whatsappStopped: boolean;
  notOnWhatsapp: boolean;
}

export interface OptInResult {
  recorded: boolean;
  status: ConsentStatus;
  skipped_reason: (typeof optInSkips)[number] | null;
}

export interface ConsentEntry {
  channel: 'sms' | 'whatsapp';
  action: 'granted' | 'stopped' | 'cleared';
  source: string;
}

interface RecipientChange {
  recipient: Recipient;
  entries: ConsentEntry[];
}

export const newRecipient = (id: string, email: string): Recipient => ({
  id,
  email,
  phone: null,
  smsStatus: 'none',
  smsStatusAt: null,
  smsStoppedBy: null,
  smsConsentAt: null,
  smsConsentSource: null,
  whatsappStatus: 'none',
  whatsappStatusAt: null,
  language: null,
});

/**
 * The recipient after getting this number (interface 2.10). A new number turns `none` into `active`, unless the number
 * itself is stopped. A stop of the recipient stays with any number. A changed number clears WhatsApp consent.
 */
export function givenNumber(
  before: Recipient,
  phone: Phone,
  facts: NumberFacts,
  source: NumberSource,
  now: Date,
): RecipientChange {
  if (before.phone?.number === phone.number) return { recipient: before, entries: [] };
  const recipient: Recipient = { ...before, phone };
  const { entries, change } = consentChanges(recipient, now);
  if (facts.smsStop !== null && before.smsStatus !== 'stopped') {
    change('sms', 'stopped', 'stopped', `number stopped before by ${facts.smsStop}`);
    recipient.smsStoppedBy = facts.smsStop;
  } else if (before.smsStatus === 'none') change('sms', 'active', 'granted', source);
  if (before.smsConsentAt === null) {
    recipient.smsConsentAt = now;
    recipient.smsConsentSource = source;
  }
  if (facts.whatsappStopped && before.whatsappStatus !== 'stopped')
    change('whatsapp', 'stopped', 'stopped', 'number stopped before');
  else if (before.whatsappStatus === 'active') change('whatsapp', 'none', 'cleared', NUMBER_CHANGED[source]);
  return { recipient, entries };
}

/** Sets the status of a channel on the recipient, and collects the entries of the consent log. */
function consentChanges(recipient: Recipient, now: Date) {
  const entries: ConsentEntry[] = [];
  const change = (
    channel: ConsentEntry['channel'],
    status: ConsentStatus,
    action: ConsentEntry['action'],
    source: string,
  ): void => {
    recipient[`${channel}Status`] = status;
    recipient[`${channel}StatusAt`] = now;
    entries.push({ channel, action, source });
  };
  return { entries, change };
}

/** How the consent log names a change that followed from that of the number. */
const NUMBER_CHANGED: Record<NumberSource, string> = {
  push: 'number changed by a push',
  api: 'number changed',
  admin: 'number changed in the dashboard',
};
const NUMBER_CLEARED: Record<Exclude<NumberSource, 'push'>, string> = {
  api: 'number cleared',
  admin: 'number cleared in the dashboard',
};

/** The recipient without a number: consent ends with the number, an opt-out stays (interface 2.10). */
export function clearedNumber(before: Recipient, by: Exclude<NumberSource, 'push'>, now: Date) {
  if (before.phone === null) return { recipient: before, entries: [] };
  const recipient: Recipient = { ...before, phone: null };
  const { entries, change } = consentChanges(recipient, now);
  for (const channel of ['sms', 'whatsapp'] as const)
    if (before[`${channel}Status`] === 'active') change(channel, 'none', 'cleared', NUMBER_CLEARED[by]);
  return { recipient, entries };
}

/** Records consent to WhatsApp. Never fails: `skipped_reason` says why nothing was recorded. */
export function optedIn(
  before: Recipient,
  source: string,
  phoneTaken: boolean,
  now: Date,
): RecipientChange & { result: OptInResult } {
  const notRecorded = (skipped_reason: OptInResult['skipped_reason']) => ({
    recipient: before,
    entries: [],
    result: { recorded: false, status: before.whatsappStatus, skipped_reason },
  });
  if (phoneTaken) return notRecorded('phone_conflict');
  switch (before.whatsappStatus) {
    case 'stopped':
      return notRecorded('opted_out');
    case 'active':
      return notRecorded('already_opted_in');
    case 'none':
      return {
        recipient: { ...before, whatsappStatus: 'active', whatsappStatusAt: now },
        entries: [{ channel: 'whatsapp', action: 'granted', source }],
        result: { recorded: true, status: 'active', skipped_reason: null },
      };
  }
}
