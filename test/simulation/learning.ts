import type { Snapshot } from './snapshot.ts';
import type { World } from './world.ts';

/** A keyed request has happened when its answer is stored, whoever wrote it and whether or not anyone heard of it. */
export function learnFromRecords(world: World, before: Snapshot, after: Snapshot): void {
  const known = new Set(before.records.map((record) => JSON.stringify(record)));
  const fresh = after.records
    .filter((record) => !known.has(JSON.stringify(record)))
    .map((record) => ({ record, name: `${record.business_id} ${record.scope} ${record.key}` }))
    .sort((a, b) => world.pushOrder.lastIndexOf(a.name) - world.pushOrder.lastIndexOf(b.name));
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
