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

/** What a carrier was told counts as a text to us; when we hear of it is for the product to say. */
export function learnFromCarriers(world: World, { recipients }: Snapshot): void {
  for (const { business_id, email, phone, sms_status } of recipients) {
    const people = world.businesses.find(({ id }) => id === business_id)?.people;
    if (phone === null || sms_status !== 'stopped' || people?.byEmail.get(email)?.sms === 'stopped') continue;
    const refused = world.journal.calls.some(
      ({ message, answer }) =>
        message.businessId === business_id &&
        message.to === phone &&
        answer !== 'silence' &&
        answer.outcome === 'refused' &&
        answer.because === 'stopped',
    );
    if (refused) people?.textsStop(phone);
  }
}
