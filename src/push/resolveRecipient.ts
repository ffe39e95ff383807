import { type ApiError, invalid } from '../kit/errors.ts';
import {
  type ConsentEntry,
  givenNumber,
  newRecipient,
  type OptInResult,
  optedIn,
} from '../recipients/recipient.ts';
import type { PushRequest } from './request.ts';
import type { BusinessState, PushSnapshot, RecipientState } from './snapshot.ts';

/** How a push changes its recipient; `language`: in nothing else. */
export type RecipientChangeKind = 'insert' | 'update' | 'language' | 'none';

interface Refused {
  kind: 'refused';
  error: ApiError;
}

interface Consented {
  kind: 'resolved';
  recipient: RecipientState;
  phoneTaken: boolean;
  optIn: OptInResult | null;
  consent: ConsentEntry[];
}

type ResolvedRecipient = Refused | (Consented & { change: RecipientChangeKind });

/** The recipient of the push, after applying its number, its consent and its language. */
export function resolveRecipient(
  request: PushRequest,
  business: BusinessState,
  snapshot: PushSnapshot,
  now: Date,
  newId: () => string,
): ResolvedRecipient {
  const existing = snapshot.recipient(business.id, request.recipientEmail);
  const before: RecipientState = existing ?? {
    ...newRecipient(newId(), request.recipientEmail),
    unsubscribed: false,
    paidLastHour: 0,
  };
  const resolved = withNumberAndConsent(request, business, before, snapshot, now);
  if (resolved.kind === 'refused') return resolved;
  const { recipient } = resolved;
  const change = existing === null ? 'insert' : recipient === existing ? 'none' : 'update';
  const { language } = request;
  if (language === null || language === recipient.language) return { ...resolved, change };
  return {
    ...resolved,
    recipient: { ...recipient, language },
    change: change === 'none' ? 'language' : change,
  };
}

function withNumberAndConsent(
  request: PushRequest,
  business: BusinessState,
  before: RecipientState,
  snapshot: PushSnapshot,
  now: Date,
): Refused | Consented {
  let recipient = before;
  const consent: ConsentEntry[] = [];
  let phoneTaken = false;
  if (request.phone !== null) {
    const facts = snapshot.number(business.id, request.phone.number);
    phoneTaken = facts.heldBy !== null && facts.heldBy !== recipient.id;
    if (!phoneTaken) {
      const given = givenNumber(recipient, request.phone, facts, 'push', now);
      if (given.recipient !== recipient) recipient = { ...recipient, ...given.recipient };
      consent.push(...given.entries);
    }
  }
  if (request.whatsappOptIn === null)
    return { kind: 'resolved', recipient, phoneTaken, optIn: null, consent };

  if (recipient.phone === null && !phoneTaken)
    return { kind: 'refused', error: consentAboutNoNumber(request.whatsappOptIn) };
  const opted = optedIn(recipient, request.whatsappOptIn.source, phoneTaken, now);
  if (opted.recipient !== recipient) recipient = { ...recipient, ...opted.recipient };
  consent.push(...opted.entries);
  return { kind: 'resolved', recipient, phoneTaken, optIn: opted.result, consent };
}

const consentAboutNoNumber = (input: unknown): ApiError =>
  invalid({
    type: 'value_error',
    loc: ['body', 'whatsapp_opt_in'],
    msg: 'Value error, there is no phone number for this consent to be about: send recipient_phone',
    input,
  });
