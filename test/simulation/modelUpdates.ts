import type { SubmittedSend } from './recipientsModel.ts';
import type { SimulatedProcess } from './scheduler.ts';
import type { Simulation } from './simulation.ts';
import type { CommittedRecord, CommittedState } from './snapshot.ts';
import { isOfStore, updateModelFromStore } from './storeCalls.ts';

/**
 * A keyed request takes effect when its response is stored, even if the response is lost. Requests that one process commits
 * together take effect in the order in which it decided them.
 */
export function updateModelFromRecords(
  simulation: Simulation,
  process: SimulatedProcess,
  before: CommittedState,
  after: CommittedState,
): void {
  const place = ({ name, record }: { name: string; record: CommittedRecord }): number =>
    simulation.placeOf.get(name)?.() ??
    simulation.decided.findLastIndex((one) => one.process === process && one.response === record.response);
  const known = new Set(before.records.map((record) => JSON.stringify(record)));
  const fresh = after.records
    .filter((record) => !known.has(JSON.stringify(record)))
    .map((record) => ({ record, name: `${record.business_id} ${record.scope} ${record.key}` }))
    .sort((a, b) => place(a) - place(b) || (a.name < b.name ? -1 : 1));
  for (const { record, name } of fresh)
    if (isOfStore(record)) updateModelFromStore(simulation, record);
    else simulation.onStoredResponse.get(name)?.(record.response);
}

/** From its permit on, a send may reach the number that its recipient has at that time. */
export function updateModelFromPermits(
  simulation: Simulation,
  before: CommittedState,
  after: CommittedState,
): void {
  const attempted = new Map(before.sends.map(({ id, attempts }) => [id, attempts]));
  for (const { business_id, id, message_id, recipient_id, channel, attempts, submitted_at } of after.sends) {
    if (channel === 'email' || message_id === null || submitted_at === null) continue;
    if (attempts <= (attempted.get(id) ?? 0)) continue;
    const phone = after.recipients.find((recipient) => recipient.id === recipient_id)?.phone;
    const people = simulation.businesses.find((business) => business.id === business_id)?.people;
    if (phone) people?.submits(channel, phone, id, Date.parse(submitted_at));
  }
  for (const { people } of simulation.businesses)
    for (const sends of people.messaged.values()) learnOutcomes(sends, after);
}

/** A send that a provider certainly did not accept has reached nobody. */
function learnOutcomes(sends: Map<string, SubmittedSend>, after: CommittedState): void {
  for (const [id, submitted] of sends) {
    const send = after.sends.find((one) => one.id === id);
    if (send?.submitted_at === null) sends.delete(id);
    if (send?.state === 'accepted') submitted.recorded = true;
  }
}

/** A STOP to a carrier counts as a text to us from the commit in which the product records it. */
export function updateModelFromRefusals(simulation: Simulation, { recipients, stops }: CommittedState): void {
  for (const { business_id, email, phone, sms_status } of recipients) {
    const people = simulation.businesses.find(({ id }) => id === business_id)?.people;
    if (phone === null || sms_status !== 'stopped' || people?.byEmail.get(email)?.sms === 'stopped') continue;
    const refused = refusals(simulation).some(
      ({ businessId, to }) => businessId === business_id && to === phone,
    );
    if (refused) people?.textsStop(phone);
  }
  // If the number was cleared, changed or erased meanwhile, only the number is stopped.
  for (const { businessId, to } of refusals(simulation)) {
    const people = simulation.businesses.find(({ id }) => id === businessId)?.people;
    const hash = simulation.testBed.hash.hex('phone', to);
    if (stops.some((stop) => stop.business_id === businessId && stop.channel === 'sms' && stop.hash === hash))
      people?.carrierStops(to);
  }
}

const refusals = (simulation: Simulation): { businessId: string; to: string }[] =>
  simulation.providers.calls.flatMap(({ message: { businessId, to }, answer }) =>
    answer !== 'silence' && answer.outcome === 'refused' && answer.because === 'stopped'
      ? [{ businessId, to }]
      : [],
  );
