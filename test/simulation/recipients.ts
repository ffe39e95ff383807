import { addressedTo, handleInboundSms } from '../../src/callbacks/inboundSms.ts';
import { handleInboundWhatsapp } from '../../src/callbacks/inboundWhatsapp.ts';
import { handleReports } from '../../src/callbacks/reports.ts';
import { transaction } from '../../src/db/transaction.ts';
import { openMessage } from '../../src/messages/open.ts';
import { linkOf, signInByLink } from '../../src/pages/inbox/arrival/links.ts';
import { resumeTexts, stopTexts, stopWhatsapp, unsubscribe } from '../../src/pages/inbox/choices/actions.ts';
import type { SimulatedBusiness } from './businesses.ts';
import { isUnreadAgain } from './countedChanges.ts';
import { NUMBERS } from './pushBodies.ts';
import type { SubmittedSend } from './recipientsModel.ts';
import { linkTokenIn } from './simulatedProviders.ts';
import type { Simulation } from './simulation.ts';

/** Acts of people and callbacks of providers; each starts some work of a process. */

const deps = (simulation: Simulation) => ({
  pool: simulation.testBed.pool,
  clock: simulation.clock,
  hash: simulation.testBed.hash,
  onEvents: () => {},
  onSends: () => {},
});

/** One number in the spellings of different carriers. */
const spelled = (simulation: Simulation, number: string): string =>
  simulation.random.pick([
    number,
    number.replace('+44', '+44 '),
    number.replace('+', ' +'),
    `${number.slice(0, 7)}-${number.slice(7)}`,
  ]);

/** A text or reply is sent again until it is accepted; the product must recognise the duplicate. */
async function receiveInbound(
  simulation: Simulation,
  name: string,
  tell: () => Promise<void>,
  effect: () => void,
): Promise<void> {
  let learnt = false;
  const once = (): void => {
    if (!learnt) effect();
    learnt = true;
  };
  const begin = async (): Promise<void> => {
    const process = simulation.anyProcess();
    simulation.note(`${process.name} hears: ${name}`);
    await simulation.start(name, process, tell, {
      effect: once,
      lost: () => simulation.redeliveries.push(begin),
    });
  };
  await begin();
  // Carriers send duplicates.
  if (simulation.random.chance(0.2)) simulation.redeliveries.push(begin);
}

const SHARED = 0.5;

/** The business whose own sender gets the message, or null for the shared one, with all businesses it may apply to. */
function addressed(simulation: Simulation): {
  businessId: string | null;
  businesses: readonly SimulatedBusiness[];
} {
  if (simulation.random.chance(SHARED)) return { businessId: null, businesses: simulation.businesses };
  const business = simulation.random.pick(simulation.businesses);
  return { businessId: business.id, businesses: [business] };
}

/**
 * A STOP to a business's own sender always applies to it. A business that lost the number while a STOP to the shared sender
 * was handled may count as holding it or not.
 */
function stopping(
  simulation: Simulation,
  to: ReturnType<typeof addressed>,
  number: string,
  channel: 'sms' | 'whatsapp',
) {
  const freed = new Map(to.businesses.map(({ id, people }) => [id, people.freed.length]));
  const hash = simulation.testBed.hash.hex('phone', number);
  return (): SimulatedBusiness[] =>
    to.businesses.filter(({ id, people }) => {
      if (to.businessId !== null || people.isConcernedBy(number)) return true;
      const lost = people.freed.slice(freed.get(id)).includes(number);
      const { stops } = simulation.snapshot;
      return (
        lost && stops.some((row) => row.business_id === id && row.channel === channel && row.hash === hash)
      );
    });
}

export async function sendInboundSms(simulation: Simulation, word: 'STOP' | 'START'): Promise<void> {
  const to = addressed(simulation);
  const number = simulation.random.pick(NUMBERS);
  const from = spelled(simulation, number);
  const source = { provider: 'simulated', id: `text ${simulation.nextNumber()}` };
  const stopped = stopping(simulation, to, number, 'sms');
  simulation.count(`texted ${word}`);
  await receiveInbound(
    simulation,
    `${number} texts ${word} to ${to.businessId ?? 'all'}`,
    () =>
      handleInboundSms(deps(simulation), { from, body: word, audience: addressedTo(to.businessId), source }),
    () => {
      if (word === 'STOP') for (const { people } of stopped()) people.textsStop(number);
      else for (const { people } of to.businesses) people.textsStart(number);
    },
  );
}

/** Mostly people reply to a message that they got. */
const ANSWERS = 0.7;

function writer(simulation: Simulation): string {
  const answering = NUMBERS.filter((number) =>
    simulation.businesses.some(({ people }) => people.repliedTo(number).length > 0),
  );
  return simulation.random.pick(
    answering.length > 0 && simulation.random.chance(ANSWERS) ? answering : NUMBERS,
  );
}

export async function sendInboundWhatsapp(simulation: Simulation, words: string): Promise<void> {
  const to = addressed(simulation);
  const number = writer(simulation);
  const from = spelled(simulation, number);
  const source = { provider: 'simulated', id: `reply ${simulation.nextNumber()}` };
  const stopped = stopping(simulation, to, number, 'whatsapp');
  simulation.count(words === 'STOP' ? 'wrote STOP' : 'replied');
  const own = to.businessId === null ? null : to.businesses.find(({ id }) => id === to.businessId);
  await receiveInbound(
    simulation,
    `${number} writes ${words} to ${to.businessId ?? 'all'}`,
    () =>
      handleInboundWhatsapp(deps(simulation), {
        from,
        body: words,
        audience: addressedTo(to.businessId),
        source,
      }),
    () => {
      checkAddressee(
        simulation,
        to.businesses,
        number,
        own?.people.consentsOnWhatsapp(number) ? own.id : null,
      );
      if (words === 'STOP') for (const { people } of stopped()) people.writesStop(number);
    },
  );
}

/**
 * Of the businesses that hold the number, only the one that messaged it last stores a reply. A send whose outcome is not
 * recorded may count or not. `consented`: the business with the person's consent whose own sender got the reply; it stores
 * the reply without having messaged the number.
 */
function checkAddressee(
  simulation: Simulation,
  businesses: readonly SimulatedBusiness[],
  number: string,
  consented: string | null,
): void {
  const { replies } = simulation.snapshot;
  const kept = replies
    .filter(({ id }) => !simulation.repliesSeen.has(id))
    .map(({ business_id }) => business_id);
  for (const { id } of replies) simulation.repliesSeen.add(id);
  const wrote = businesses.map(({ id, people }) => {
    const sends = people.repliedTo(number);
    return { id, noted: last(sends.filter(({ recorded: noted }) => noted)), perhaps: last(sends) };
  });
  const surely = Math.max(...wrote.map(({ noted }) => noted));
  const allowed = wrote.filter(({ perhaps }) => perhaps >= surely && perhaps > NEVER).map(({ id }) => id);
  simulation.count(kept.length > 0 ? 'reply kept' : 'reply dropped');
  if (consented !== null && allowed.length === 0) allowed.push(consented);
  const right =
    kept.length === 0
      ? surely === NEVER && consented === null
      : kept.length === 1 && allowed.includes(kept[0] ?? '');
  if (!right)
    simulation.fail(
      `a reply from ${number} is kept by ${kept.join(', ') || 'nobody'}, not by ${allowed.join(' or ') || 'nobody'}`,
    );
}

const NEVER = Number.NEGATIVE_INFINITY;
const last = (sends: readonly SubmittedSend[]): number => Math.max(...sends.map(({ at }) => at));

/** Follows the link of a nudge that arrived, every second time one whose message has an armed send if there is one. */
export async function openAnyMessage(simulation: Simulation): Promise<void> {
  const arrived = simulation.providers.calls.filter(
    ({ taken, message }) => taken && linkTokenIn(message) !== null,
  );
  if (arrived.length === 0) return;
  const armed = arrived.filter(({ message }) => hasArmedSend(simulation, message.sendId));
  const among = armed.length > 0 && simulation.random.chance(0.5) ? armed : arrived;
  const token = linkTokenIn(simulation.random.pick(among).message) ?? '';
  const { pool } = simulation.testBed;
  let messageId = '';
  const effect = (): void => {
    for (const { messages } of simulation.businesses) messages.open(messageId);
  };
  simulation.count('opened');
  await simulation.start(
    'opens a message',
    simulation.anyProcess(),
    async () => {
      const link = await linkOf(pool, token, simulation.clock.now());
      if (!link || link.expired) return;
      messageId = link.messageId ?? '';
      await signInByLink(pool, link, simulation.clock.now());
    },
    { effect },
  );
}

/** Somebody who is signed in reads a message, mostly one that was updated or may be. */
export async function openInInbox(simulation: Simulation): Promise<void> {
  const { messages } = simulation.snapshot;
  const updated = messages.filter(isUnreadAgain);
  const updateable = messages.filter(({ kind }) => kind === 'updateable');
  const among = [updated, updateable].find((some) => some.length > 0 && simulation.random.chance(0.6));
  if (messages.length === 0) return;
  const {
    business_id: businessId,
    recipient_id: recipientId,
    id: messageId,
  } = simulation.random.pick(among ?? messages);
  const { pool } = simulation.testBed;
  simulation.count('opened in the inbox');
  await simulation.start(
    'opens a message in the inbox',
    simulation.anyProcess(),
    async () => {
      await transaction(pool, (tx) =>
        openMessage(tx, { businessId, recipientId, messageId }, simulation.clock.now()),
      );
    },
    { effect: () => simulation.businesses.find(({ id }) => id === businessId)?.messages.open(messageId) },
  );
}

function hasArmedSend({ snapshot }: Simulation, nudgeId: string): boolean {
  const messageId = snapshot.sends.find(({ id }) => id === nudgeId)?.message_id;
  return snapshot.sends.some(
    (send) => send.message_id === messageId && send.state === 'held' && send.escalate_minutes !== null,
  );
}

type Choice = 'stopTexts' | 'resumeTexts' | 'stopWhatsapp' | 'unsubscribe';

/** Makes a choice in the inbox. */
export async function changeChoice(simulation: Simulation, choice: Choice): Promise<void> {
  const { recipients } = simulation.snapshot;
  if (recipients.length === 0) return;
  const { business_id: businessId, id: recipientId, email } = simulation.random.pick(recipients);
  const people = simulation.businesses.find(({ id }) => id === businessId)?.people;
  if (!people) return;
  const { pool, hash: hasher } = simulation.testBed;
  const reader = { businessId, recipientId };
  // A person who was erased and came back is a new recipient, to whom this choice does not apply.
  const effect = (): void => {
    if (simulation.snapshot.recipients.some(({ id }) => id === recipientId)) EFFECTS[choice](people, email);
  };
  simulation.count(`chose ${choice}`);
  simulation.note(`${email} decides in the inbox of ${businessId}: ${choice}`);
  await simulation.start(
    choice,
    simulation.anyProcess(),
    async () => {
      await CHOICES[choice]({ pool, hasher }, reader, simulation.clock.now());
    },
    { effect },
  );
}

type Choosing = (...given: Parameters<typeof stopTexts>) => Promise<number>;

const CHOICES: Record<Choice, Choosing> = {
  stopTexts,
  resumeTexts,
  stopWhatsapp,
  unsubscribe: (given, reader, now) => unsubscribe(given, reader, 'one-click', now),
};

const EFFECTS: Record<Choice, (people: SimulatedBusiness['people'], email: string) => void> = {
  stopTexts: (people, email) => people.stopsTextsInInbox(email),
  resumeTexts: (people, email) => people.resumesTextsInInbox(email),
  stopWhatsapp: (people, email) => people.stopsWhatsappInInbox(email),
  unsubscribe: (people, email) => people.unsubscribes(email),
};

/** Delivers one of the pending reports; it is sent again until we acknowledge it. */
export async function deliverReport(simulation: Simulation): Promise<void> {
  const report = simulation.providers.takeReport();
  const process = simulation.anyProcess();
  simulation.note(`${process.name} gets a report: ${report.reference} ${report.status}`);
  simulation.count(`report ${report.status}`);
  const send = simulation.snapshot.sends.find(({ id }) => report.reference.endsWith(id));
  if (send?.state === 'submitting') simulation.count('report before the answer');
  if (send?.reason === 'outcome_unknown') simulation.count('report after an unknown outcome');
  await simulation.start(
    `report ${report.status}`,
    process,
    async () => {
      const tally = await handleReports(deps(simulation), [report]);
      if (tally.repeated > 0) simulation.count('report repeated');
      if (tally.unchanged > 0) simulation.count('report without news');
    },
    { lost: () => simulation.providers.pendingReports.push(report) },
  );
}
