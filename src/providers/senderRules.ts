/** What a country does with texts whose sender is a name and not a number. docs/providers/sms-senders.md has the sources. */
export interface SenderRule {
  /** `registration`: a name must be known there first. `refused`: no name is taken. `replaced`: unsuitable names are. */
  rule: 'registration' | 'refused' | 'replaced';
  /** A day such as `2026-09-15`; null: not known, or long ago. */
  since: string | null;
  /** What to do, to follow a colon or a semicolon. */
  advice: string;
}

/** The rule of a country for this sender; null: none is known, or the sender is no name. */
export const senderRule = (sender: string, country: string): SenderRule | null =>
  isName(sender) ? (RULES.get(country) ?? null) : null;

/** Neither a number, with or without a plus, nor a Messaging Service, which chooses a sender by itself. */
export const isName = (sender: string): boolean => !/^(?:\+?\d+|MG[0-9a-f]{32})$/i.test(sender);

/** What every carrier can show as a name. */
export const isSafeName = (name: string): boolean =>
  /^[A-Za-z0-9]{1,11}$/.test(name) && /[A-Za-z]/.test(name);

/** A sentence that begins with a place, such as `Spain`. */
export const ruleSentence = (place: string, { rule, since, advice }: SenderRule): string =>
  `${place}: ${WORDS[rule]}${since === null ? '' : ` since ${day.format(new Date(since))}`}; ${advice}.`;

export const unsafeNameSentence = (name: string): string =>
  `The sender “${name}” is not 1 to 11 letters and digits (A–Z, a–z, 0–9) with a letter among them: carriers may replace or refuse it.`;

const WORDS: Readonly<Record<SenderRule['rule'], string>> = {
  registration: 'a name as sender must be registered',
  refused: 'a name as sender is refused',
  replaced: 'an unsuitable name as sender is replaced or refused',
};

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

const registration = (since: string | null, advice: string): SenderRule => ({
  rule: 'registration',
  since,
  advice,
});
const refused = (advice: string): SenderRule => ({ rule: 'refused', since: null, advice });

const BY_PROVIDER = registration(null, 'ask your SMS provider to register yours');

const RULES: ReadonlyMap<string, SenderRule> = new Map([
  ['AT', BY_PROVIDER],
  [
    'AU',
    registration(
      '2026-07-01',
      'have your SMS provider enter yours in the ACMA’s register, or “Unverified” is shown in its place',
    ),
  ],
  ['BY', BY_PROVIDER],
  ['CA', refused('send from a number there')],
  ['CN', refused('ask your SMS provider, which registers the wording and sends from a number')],
  ['EG', BY_PROVIDER],
  [
    'ES',
    registration(
      '2026-09-15',
      'register yours with the CNMC, capitals as you write them, or texts are blocked',
    ),
  ],
  [
    'FI',
    registration(
      '2026-05-04',
      'have your SMS provider get yours authorised, or it shows as “Unknown” or the text is blocked',
    ),
  ],
  [
    'FR',
    {
      rule: 'replaced',
      since: '2026-03-01',
      advice: 'use the name of the shop in letters and digits alone, and no general word such as “Info”',
    },
  ],
  ['ID', BY_PROVIDER],
  ['IE', registration('2025-10-03', 'register yours with ComReg, or texts are blocked')],
  [
    'IN',
    registration(
      null,
      'register the shop, the name and the exact wording with a carrier (DLT), or texts are dropped without a report',
    ),
  ],
  [
    'IT',
    registration(null, 'have your SMS provider register yours with AGCOM, or a number stands in its place'),
  ],
  ['JO', BY_PROVIDER],
  ['KE', BY_PROVIDER],
  ['KW', BY_PROVIDER],
  ['KZ', BY_PROVIDER],
  ['LK', BY_PROVIDER],
  ['PH', BY_PROVIDER],
  ['PR', refused('send from a number there')],
  ['QA', BY_PROVIDER],
  ['RU', BY_PROVIDER],
  ['SA', BY_PROVIDER],
  [
    'SG',
    registration(
      '2023-01-31',
      'register yours with the SSIR, or it shows as “Likely-SCAM” or the text is blocked',
    ),
  ],
  ['TH', BY_PROVIDER],
  ['US', refused('send from a number there')],
]);

/** The countries with a rule, by code. */
export const ruledCountries: readonly string[] = [...RULES.keys()];
