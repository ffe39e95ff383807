import type { Phone } from '../kit/phoneNumber.ts';

export type ConsentStatus = 'none' | 'active' | 'stopped';
export const STOP_MAKERS = ['text', 'inbox', 'dashboard'] as const;
export type StopMaker = (typeof STOP_MAKERS)[number];
export type NumberSource = 'push' | 'api' | 'admin';

/** A person of one business, as the rules see them. */
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
}

/** What holds for a number within a business. */
export interface NumberFacts {
  heldBy: string | null;
  smsStop: StopMaker | null;
  whatsappStopped: boolean;
  notOnWhatsapp: boolean;
}

export interface OptInResult {
  recorded: boolean;
  status: ConsentStatus;
  skipped_reason: 'already_opted_in' | 'opted_out' | 'phone_conflict' | null;
}

/** A line of the consent log. */
export interface ConsentEntry {
  channel: 'sms' | 'whatsapp';
  action: 'granted' | 'stopped' | 'cleared';
  source: string;
}

/** The recipient after a change, and what the consent log says of it. */
export interface RecipientChange {
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
});

/**
 * The recipient once this number is theirs (interface 2.10). An accepted number makes `none` into `active`, unless
 * that number was stopped before; a stop stays, whatever the number; a changed number clears WhatsApp consent.
 */
export function givenNumber(
  before: Recipient,
  phone: Phone,
  facts: NumberFacts,
  source: NumberSource,
  now: Date,
): RecipientChange {
  if (before.phone?.number === phone.number) return { recipient: before, entries: [] };
  const entries: ConsentEntry[] = [];
  const recipient: Recipient = { ...before, phone };
  if (facts.smsStop !== null && before.smsStatus !== 'stopped') {
    recipient.smsStatus = 'stopped';
    recipient.smsStoppedBy = facts.smsStop;
    recipient.smsStatusAt = now;
    entries.push({ channel: 'sms', action: 'stopped', source: `number stopped before by ${facts.smsStop}` });
  } else if (before.smsStatus === 'none') {
    recipient.smsStatus = 'active';
    recipient.smsStatusAt = now;
    entries.push({ channel: 'sms', action: 'granted', source });
  }
  if (before.smsConsentAt === null) {
    recipient.smsConsentAt = now;
    recipient.smsConsentSource = source;
  }
  if (facts.whatsappStopped && before.whatsappStatus !== 'stopped') {
    recipient.whatsappStatus = 'stopped';
    recipient.whatsappStatusAt = now;
    entries.push({ channel: 'whatsapp', action: 'stopped', source: 'number stopped before' });
  } else if (before.whatsappStatus === 'active') {
    recipient.whatsappStatus = 'none';
    recipient.whatsappStatusAt = now;
    entries.push({ channel: 'whatsapp', action: 'cleared', source: 'number changed' });
  }
  return { recipient, entries };
}

/** The recipient without a number: consent to texts falls with it, an opt-out does not (interface 2.10). */
export function clearedNumber(before: Recipient, now: Date): RecipientChange {
  if (before.phone === null) return { recipient: before, entries: [] };
  const recipient: Recipient = { ...before, phone: null };
  const entries: ConsentEntry[] = [];
  if (before.smsStatus === 'active') {
    recipient.smsStatus = 'none';
    recipient.smsStatusAt = now;
    entries.push({ channel: 'sms', action: 'cleared', source: 'number cleared' });
  }
  if (before.whatsappStatus === 'active') {
    recipient.whatsappStatus = 'none';
    recipient.whatsappStatusAt = now;
    entries.push({ channel: 'whatsapp', action: 'cleared', source: 'number cleared' });
  }
  return { recipient, entries };
}

/** Records that the person agreed to WhatsApp. Never fails; says instead why nothing was recorded. */
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
