import type { Submitted } from './model.ts';
import type { SimulatedProcess } from './scheduler.ts';
import type { Snapshot } from './snapshot.ts';
import type { World } from './world.ts';

/**
 * A keyed request has happened when its answer is stored, whether or not anyone heard of it. What one process stored together
 * happened in the order in which it came: singly, or by its place in a batch.
 */
export function learnFromRecords(
  world: World,
  process: SimulatedProcess,
  before: Snapshot,
  after: Snapshot,
): void {
  const place = (name: string): number =>
    world.pushOrder.findIndex((pushed) => pushed.process === process && pushed.name === name);
  const known = new Set(before.records.map((record) => JSON.stringify(record)));
  const fresh = after.records
    .filter((record) => !known.has(JSON.stringify(record)))
    .map((record) => ({ record, name: `${record.business_id} ${record.scope} ${record.key}` }))
    .sort((a, b) => place(a.name) - place(b.name) || (a.name < b.name ? -1 : 1));
  for (const { record, name } of fresh) world.onRecord.get(name)?.(record.response);
}

/** From its permit on a message may reach the number that its recipient has then. */
export function learnFromPermits(world: World, before: Snapshot, after: Snapshot): void {
  const attempted = new Map(before.sends.map(({ id, attempts }) => [id, attempts]));
  for (const { business_id, id, message_id, recipient_id, channel, attempts, submitted_at } of after.sends) {
    if (channel === 'email' || message_id === null || submitted_at === null) continue;
    if (attempts <= (attempted.get(id) ?? 0)) continue;
    const phone = after.recipients.find((recipient) => recipient.id === recipient_id)?.phone;
    const people = world.businesses.find((business) => business.id === business_id)?.people;
    if (phone) people?.submits(channel, phone, id, Date.parse(submitted_at));
  }
  for (const { people } of world.businesses)
    for (const sends of people.messaged.values()) learnOutcomes(sends, after);
}

/** What a provider surely did not take has reached nobody. */
function learnOutcomes(sends: Map<string, Submitted>, after: Snapshot): void {
  for (const [id, submitted] of sends) {
    const send = after.sends.find((one) => one.id === id);
    if (send?.submitted_at === null) sends.delete(id);
    if (send?.state === 'accepted') submitted.noted = true;
  }
}

/** What a carrier was told counts as a text to us; when we hear of it is for the product to say. */
export function learnFromCarriers(world: World, { recipients, stops }: Snapshot): void {
  for (const { business_id, email, phone, sms_status } of recipients) {
    const people = world.businesses.find(({ id }) => id === business_id)?.people;
    if (phone === null || sms_status !== 'stopped' || people?.byEmail.get(email)?.sms === 'stopped') continue;
    const refused = refusals(world).some(({ businessId, to }) => businessId === business_id && to === phone);
    if (refused) people?.textsStop(phone);
  }
  // Of a number that was cleared, changed or erased meanwhile only the number is stopped.
  for (const { businessId, to } of refusals(world)) {
    const people = world.businesses.find(({ id }) => id === businessId)?.people;
    const hash = world.stage.hash.hex('phone', to);
    if (stops.some((stop) => stop.business_id === businessId && stop.channel === 'sms' && stop.hash === hash))
      people?.carrierStops(to);
  }
}

const refusals = (world: World): { businessId: string; to: string }[] =>
  world.journal.calls.flatMap(({ message: { businessId, to }, answer }) =>
    answer !== 'silence' && answer.outcome === 'refused' && answer.because === 'stopped'
      ? [{ businessId, to }]
      : [],
  );
