import { addressedTo, handleInboundSms } from '../../src/callbacks/inboundSms.ts';
import { handleInboundWhatsapp } from '../../src/callbacks/inboundWhatsapp.ts';
import { handleReports } from '../../src/callbacks/reports.ts';
import { resumeTexts, stopTexts, stopWhatsapp, unsubscribe } from '../../src/inbox/choices.ts';
import { arrive, linkOf } from '../../src/inbox/links.ts';
import type { Business } from './businesses.ts';
import { linkToken } from './journal.ts';
import type { Submitted } from './model.ts';
import { NUMBERS } from './pushBodies.ts';
import type { World } from './world.ts';

/** What people do, and what providers pass on: each begins some work of a process. */

const deps = (world: World) => ({
  pool: world.stage.pool,
  clock: world.clock,
  hash: world.stage.hash,
  onEvents: () => {},
  onSends: () => {},
});

/** Spelled as carriers do: the number is the same in each of them. */
const spelled = (world: World, number: string): string =>
  world.random.pick([
    number,
    number.replace('+44', '+44 '),
    number.replace('+', ' +'),
    `${number.slice(0, 7)}-${number.slice(7)}`,
  ]);

/** A text or reply is told again until it was taken; that it is the same one is for the product to notice. */
async function heard(
  world: World,
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
    const process = world.anyProcess();
    world.note(`${process.name} hears: ${name}`);
    await world.start(name, process, tell, { effect: once, lost: () => world.later.push(begin) });
  };
  await begin();
  // Carriers tell things twice.
  if (world.random.chance(0.2)) world.later.push(begin);
}

const SHARED = 0.5;

/** The business whose own sender is written to, or null for the shared one, with all businesses that it may concern. */
function addressed(world: World): { businessId: string | null; businesses: readonly Business[] } {
  if (world.random.chance(SHARED)) return { businessId: null, businesses: world.businesses };
  const business = world.random.pick(world.businesses);
  return { businessId: business.id, businesses: [business] };
}

/**
 * To its own sender a STOP always concerns a business. One that lost the number while the STOP to the shared sender was
 * heard may count as holding it or not.
 */
function stopping(
  world: World,
  to: ReturnType<typeof addressed>,
  number: string,
  channel: 'sms' | 'whatsapp',
) {
  const freed = new Map(to.businesses.map(({ id, people }) => [id, people.freed.length]));
  const hash = world.stage.hash.hex('phone', number);
  return (): Business[] =>
    to.businesses.filter(({ id, people }) => {
      if (to.businessId !== null || people.isConcernedBy(number)) return true;
      const lost = people.freed.slice(freed.get(id)).includes(number);
      const { stops } = world.snapshot;
      return (
        lost && stops.some((row) => row.business_id === id && row.channel === channel && row.hash === hash)
      );
    });
}

export async function texts(world: World, word: 'STOP' | 'START'): Promise<void> {
  const to = addressed(world);
  const number = world.random.pick(NUMBERS);
  const from = spelled(world, number);
  const source = { provider: 'simulated', id: `text ${world.nextNumber()}` };
  const stopped = stopping(world, to, number, 'sms');
  world.count(`texted ${word}`);
  await heard(
    world,
    `${number} texts ${word} to ${to.businessId ?? 'all'}`,
    () => handleInboundSms(deps(world), { from, body: word, audience: addressedTo(to.businessId), source }),
    () => {
      if (word === 'STOP') for (const { people } of stopped()) people.textsStop(number);
      else for (const { people } of to.businesses) people.textsStart(number);
    },
  );
}

/** Mostly people answer what they were sent. */
const ANSWERS = 0.7;

function writer(world: World): string {
  const answering = NUMBERS.filter((number) =>
    world.businesses.some(({ people }) => people.repliedTo(number).length > 0),
  );
  return world.random.pick(answering.length > 0 && world.random.chance(ANSWERS) ? answering : NUMBERS);
}

export async function writes(world: World, words: string): Promise<void> {
  const to = addressed(world);
  const number = writer(world);
  const from = spelled(world, number);
  const source = { provider: 'simulated', id: `reply ${world.nextNumber()}` };
  const stopped = stopping(world, to, number, 'whatsapp');
  world.count(words === 'STOP' ? 'wrote STOP' : 'replied');
  const own = to.businessId === null ? null : to.businesses.find(({ id }) => id === to.businessId);
  await heard(
    world,
    `${number} writes ${words} to ${to.businessId ?? 'all'}`,
    () =>
      handleInboundWhatsapp(deps(world), { from, body: words, audience: addressedTo(to.businessId), source }),
    () => {
      checkAddressee(world, to.businesses, number, own?.people.consentsOnWhatsapp(number) ? own.id : null);
      if (words === 'STOP') for (const { people } of stopped()) people.writesStop(number);
    },
  );
}

/**
 * A reply is kept by the business that wrote to the number last, of those that hold it, and by no other. A message whose
 * outcome is not written down may count or not. `consented`: the business that the person consents to and wrote to at a
 * sender of its own, which keeps the reply without having written.
 */
function checkAddressee(
  world: World,
  businesses: readonly Business[],
  number: string,
  consented: string | null,
): void {
  const { replies } = world.snapshot;
  const kept = replies.filter(({ id }) => !world.repliesSeen.has(id)).map(({ business_id }) => business_id);
  for (const { id } of replies) world.repliesSeen.add(id);
  const wrote = businesses.map(({ id, people }) => {
    const sends = people.repliedTo(number);
    return { id, noted: last(sends.filter(({ noted }) => noted)), perhaps: last(sends) };
  });
  const surely = Math.max(...wrote.map(({ noted }) => noted));
  const allowed = wrote.filter(({ perhaps }) => perhaps >= surely && perhaps > NEVER).map(({ id }) => id);
  world.count(kept.length > 0 ? 'reply kept' : 'reply dropped');
  if (consented !== null && allowed.length === 0) allowed.push(consented);
  const right =
    kept.length === 0
      ? surely === NEVER && consented === null
      : kept.length === 1 && allowed.includes(kept[0] ?? '');
  if (!right)
    world.fail(
      `a reply from ${number} is kept by ${kept.join(', ') || 'nobody'}, not by ${allowed.join(' or ') || 'nobody'}`,
    );
}

const NEVER = Number.NEGATIVE_INFINITY;
const last = (sends: readonly Submitted[]): number => Math.max(...sends.map(({ at }) => at));

/** Follows the link of anything that arrived. */
export async function opens(world: World): Promise<void> {
  const arrived = world.journal.calls.filter(({ taken, message }) => taken && linkToken(message) !== null);
  if (arrived.length === 0) return;
  const token = linkToken(world.random.pick(arrived).message) ?? '';
  const { pool } = world.stage;
  world.count('opened');
  await world.start('opens a message', world.anyProcess(), async () => {
    const link = await linkOf(pool, token, world.clock.now());
    if (link && !link.expired) await arrive(pool, link, world.clock.now());
  });
}

type Choice = 'stopTexts' | 'resumeTexts' | 'stopWhatsapp' | 'unsubscribe';

/** Decides something in the inbox. */
export async function chooses(world: World, choice: Choice): Promise<void> {
  const { recipients } = world.snapshot;
  if (recipients.length === 0) return;
  const { business_id: businessId, id: recipientId, email } = world.random.pick(recipients);
  const people = world.businesses.find(({ id }) => id === businessId)?.people;
  if (!people) return;
  const { pool, hash: hasher } = world.stage;
  const reader = { businessId, recipientId };
  // Whoever was erased and came back is somebody else, whom this person cannot decide for.
  const effect = (): void => {
    if (world.snapshot.recipients.some(({ id }) => id === recipientId)) EFFECTS[choice](people, email);
  };
  world.count(`chose ${choice}`);
  world.note(`${email} decides in the inbox of ${businessId}: ${choice}`);
  await world.start(
    choice,
    world.anyProcess(),
    async () => {
      await CHOICES[choice]({ pool, hasher }, reader, world.clock.now());
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

const EFFECTS: Record<Choice, (people: Business['people'], email: string) => void> = {
  stopTexts: (people, email) => people.stopsTextsInInbox(email),
  resumeTexts: (people, email) => people.resumesTextsInInbox(email),
  stopWhatsapp: (people, email) => people.stopsWhatsappInInbox(email),
  unsubscribe: (people, email) => people.unsubscribes(email),
};

/** One of the reports that are under way reaches us; it comes again until we thank for it. */
export async function reports(world: World): Promise<void> {
  const report = world.journal.takeReport();
  const process = world.anyProcess();
  world.note(`${process.name} is told: ${report.reference} ${report.status}`);
  world.count(`report ${report.status}`);
  const send = world.snapshot.sends.find(({ id }) => report.reference.endsWith(id));
  if (send?.state === 'submitting') world.count('report before the answer');
  if (send?.reason === 'outcome_unknown') world.count('report after an unknown outcome');
  await world.start(
    `report ${report.status}`,
    process,
    async () => {
      const tally = await handleReports(deps(world), [report]);
      if (tally.repeated > 0) world.count('report repeated');
      if (tally.unchanged > 0) world.count('report without news');
    },
    { lost: () => world.journal.reports.push(report) },
  );
}
