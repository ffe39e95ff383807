import type { ConsentStatus, StopMaker } from '../../src/recipients/recipient.ts';

type PaidChannel = 'sms' | 'whatsapp';

/** A person's consent and number with one business. */
export interface ModelRecipient {
  phone: string | null;
  sms: ConsentStatus;
  smsStoppedBy: StopMaker | null;
  whatsapp: ConsentStatus;
  unsubscribed: boolean;
}

/** A send to a number. `noted`: its provider accepted it, and that is recorded. */
export interface SubmittedSend {
  at: number;
  recorded: boolean;
}

/** The part of a push about its recipient. */
export interface PushedRecipient {
  email: string;
  phone: string | null;
  optIn: boolean;
  /** Another person held the number at the decision, even if they have lost it since. */
  phoneTaken?: boolean;
}

/**
 * The model of one business's recipients after all commits in their order. It has no database, no locks and no time; each
 * method is a sentence of the interface (2.10, 2.11, 3.4).
 */
export class RecipientsModel {
  readonly byEmail = new Map<string, ModelRecipient>();
  /** Opt-outs of numbers, which outlive the person: `sms +447…` and who made it. */
  readonly stops = new Map<string, StopMaker>();
  /** Addresses that unsubscribed, which also outlive the person. */
  readonly unsubscribed = new Set<string>();
  /** Sends that may have reached a number: `sms +447…`. None are left once its holder is erased: then only a STOP counts. */
  readonly messaged = new Map<string, Map<string, SubmittedSend>>();
  /** Numbers that lost their holder, in that order. */
  readonly freed: string[] = [];

  push({ email, phone, optIn, phoneTaken = false }: PushedRecipient): void {
    const person = this.byEmail.get(email) ?? newPerson();
    this.byEmail.set(email, person);
    const taken = phone !== null && (phoneTaken || this.#holder(phone, email));
    if (phone !== null && !taken) this.#give(person, phone);
    if (optIn && !taken && person.whatsapp === 'none') person.whatsapp = 'active';
  }

  setPhone(email: string, phone: string): void {
    const person = this.byEmail.get(email);
    if (person && !this.#holder(phone, email)) this.#give(person, phone);
  }

  clearPhone(email: string): void {
    const person = this.byEmail.get(email);
    if (!person || person.phone === null) return;
    this.freed.push(person.phone);
    person.phone = null;
    if (person.sms === 'active') person.sms = 'none';
    if (person.whatsapp === 'active') person.whatsapp = 'none';
  }

  submits(channel: PaidChannel, number: string, sendId: string, at: number): void {
    const name = `${channel} ${number}`;
    const sends = this.messaged.get(name) ?? new Map<string, SubmittedSend>();
    this.messaged.set(name, sends.set(sendId, { at, recorded: false }));
  }

  /** Whether a STOP to the shared sender applies to this business. */
  isConcernedBy(number: string): boolean {
    const messaged = this.messaged.has(`sms ${number}`) || this.messaged.has(`whatsapp ${number}`);
    return messaged || this.#holdersOf(number).length > 0;
  }

  /** WhatsApp messages that this business may have sent to the number while one of its recipients holds it. */
  repliedTo(number: string): SubmittedSend[] {
    if (this.#holdersOf(number).length === 0) return [];
    return [...(this.messaged.get(`whatsapp ${number}`)?.values() ?? [])];
  }

  /** Whether somebody holds the number and consents to WhatsApp. */
  consentsOnWhatsapp(number: string): boolean {
    return this.#holdersOf(number).some(({ whatsapp }) => whatsapp === 'active');
  }

  /** A carrier refused a text to a number that has no holder any more. */
  carrierStops(number: string): void {
    this.#keep('sms', number, 'text');
  }

  textsStop(number: string): void {
    this.#keep('sms', number, 'text');
    for (const person of this.#holdersOf(number)) this.#stopTexts(person, 'text');
  }

  /** Lifts only a texted stop. */
  textsStart(number: string): void {
    if (this.stops.get(`sms ${number}`) === 'text') this.stops.delete(`sms ${number}`);
    for (const person of this.#holdersOf(number)) {
      if (person.smsStoppedBy === 'text') Object.assign(person, { sms: 'active', smsStoppedBy: null });
    }
  }

  /** Permanent. */
  writesStop(number: string): void {
    this.#keep('whatsapp', number, 'text');
    for (const person of this.#holdersOf(number)) person.whatsapp = 'stopped';
  }

  stopsTextsInInbox(email: string): void {
    const person = this.byEmail.get(email);
    if (person?.sms !== 'active' || person.phone === null) return;
    this.#stopTexts(person, 'inbox');
    this.#keepFirmly('sms', person.phone, 'inbox');
  }

  resumesTextsInInbox(email: string): void {
    const person = this.byEmail.get(email);
    if (person?.smsStoppedBy !== 'inbox') return;
    Object.assign(person, { sms: person.phone === null ? 'none' : 'active', smsStoppedBy: null });
    if (this.stops.get(`sms ${person.phone}`) === 'inbox') this.stops.delete(`sms ${person.phone}`);
  }

  stopsWhatsappInInbox(email: string): void {
    const person = this.byEmail.get(email);
    if (person?.whatsapp !== 'active') return;
    person.whatsapp = 'stopped';
    if (person.phone !== null) this.#keepFirmly('whatsapp', person.phone, 'inbox');
  }

  unsubscribes(email: string): void {
    const person = this.byEmail.get(email);
    if (!person) return;
    person.unsubscribed = true;
    this.unsubscribed.add(email);
  }

  stoppedByOperator(email: string, channel: PaidChannel): void {
    const person = this.byEmail.get(email);
    if (!person) return;
    if (channel === 'sms') Object.assign(person, { sms: 'stopped', smsStoppedBy: 'dashboard' });
    else person.whatsapp = 'stopped';
    if (person.phone !== null) this.stops.set(`${channel} ${person.phone}`, 'dashboard');
  }

  erase(email: string): void {
    const person = this.byEmail.get(email);
    if (!person) return;
    if (person.phone !== null && person.smsStoppedBy !== null)
      this.#keep('sms', person.phone, person.smsStoppedBy);
    if (person.phone !== null && person.whatsapp === 'stopped')
      this.#keep('whatsapp', person.phone, 'dashboard');
    if (person.phone !== null) this.freed.push(person.phone);
    for (const name of [`sms ${person.phone}`, `whatsapp ${person.phone}`]) this.messaged.get(name)?.clear();
    this.byEmail.delete(email);
  }

  eraseWhatsapp(email: string): void {
    const person = this.byEmail.get(email);
    if (!person) return;
    person.whatsapp = 'stopped';
    if (person.phone !== null) this.#keep('whatsapp', person.phone, 'dashboard');
  }

  /** Whether this person must not be messaged on the channel. */
  forbids(email: string, channel: 'email' | PaidChannel): boolean {
    const person = this.byEmail.get(email);
    if (this.unsubscribed.has(email) || !person) return true;
    if (channel === 'email') return false;
    if (person.phone === null || this.stops.has(`${channel} ${person.phone}`)) return true;
    return channel === 'sms' ? person.sms === 'stopped' : person.whatsapp !== 'active';
  }

  #give(person: ModelRecipient, phone: string): void {
    if (person.phone === phone) return;
    if (person.phone !== null) this.freed.push(person.phone);
    person.phone = phone;
    const stop = this.stops.get(`sms ${phone}`);
    if (stop !== undefined) this.#stopTexts(person, stop);
    else if (person.sms === 'none') person.sms = 'active';
    if (this.stops.has(`whatsapp ${phone}`)) person.whatsapp = 'stopped';
    else if (person.whatsapp === 'active') person.whatsapp = 'none';
  }

  /** A stop stays. */
  #stopTexts(person: ModelRecipient, by: StopMaker): void {
    if (person.sms !== 'stopped') Object.assign(person, { sms: 'stopped', smsStoppedBy: by });
  }

  #keep(channel: PaidChannel, number: string, by: StopMaker): void {
    if (!this.stops.has(`${channel} ${number}`)) this.stops.set(`${channel} ${number}`, by);
  }

  /** Replaces only a texted stop. */
  #keepFirmly(channel: PaidChannel, number: string, by: StopMaker): void {
    const before = this.stops.get(`${channel} ${number}`);
    if (before === undefined || before === 'text') this.stops.set(`${channel} ${number}`, by);
  }

  #holdersOf(number: string): ModelRecipient[] {
    return [...this.byEmail.values()].filter(({ phone }) => phone === number);
  }

  /** Whether another person holds the number. */
  #holder(number: string, email: string): boolean {
    return [...this.byEmail].some(([other, { phone }]) => other !== email && phone === number);
  }
}

const newPerson = (): ModelRecipient => ({
  phone: null,
  sms: 'none',
  smsStoppedBy: null,
  whatsapp: 'none',
  unsubscribed: false,
});
