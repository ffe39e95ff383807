import type { ModelledShipment } from './ordersModel.ts';
import type { Random } from './random.ts';

export const REFERENCES = ['#1001', '#1002'];
const PARCELS = ['JD01', 'JD02'];

/** Mostly the first, so that what is said meets. */
export const anyReference = (random: Random): string => REFERENCES[random.chance(0.75) ? 0 : 1] ?? '';
export const anyParcel = (random: Random): string => PARCELS[random.chance(0.7) ? 0 : 1] ?? '';

/** Of what is said of a shipment, any part may be left out. */
export const anyFacts = (random: Random) => ({
  ...(random.chance(0.5) && { carrier: random.pick(['Omniva', 'DPD', null]) }),
  ...(random.chance(0.3) && { tracking_url: 'https://track.example/1' }),
  ...(random.chance(0.4) && {
    expected_on: '2026-08-21',
    ...(random.chance(0.5) && { expected_until: '2026-08-23' }),
  }),
});

export const anyShipment = (random: Random) => ({
  tracking_number: anyParcel(random),
  ...anyFacts(random),
});

/** What is left out is null. */
export const shipmentNamedBy = (said: Partial<ModelledShipment>): ModelledShipment => ({
  carrier: said.carrier ?? null,
  tracking_url: said.tracking_url ?? null,
  expected_on: said.expected_on ?? null,
  expected_until: said.expected_until ?? null,
});
