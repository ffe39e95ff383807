import { CARRIER_MAX, TRACKING_NUMBER_MAX, TRACKING_URL_MAX } from '../config/limits.ts';
import {
  Agreeing,
  CalendarDate,
  Component,
  type Disagreement,
  HttpsUrl,
  Line,
  Omittable,
  TrackingNumber,
  type ValueOf,
} from './schema.ts';

const description = {
  carrier: 'Who carries it, as the customer reads it.',
  tracking_url: 'Where the customer follows it: an https URL. A text message never carries it.',
  expected_on: 'The day it is expected, or the first of several.',
  expected_until: 'The last day it is expected; only with `expected_on`, and not before it.',
};

export const trackingNumber = TrackingNumber({
  max: TRACKING_NUMBER_MAX,
  description: 'Trimmed; letters, digits, spaces and hyphens.',
});

/** What a caller can say of a shipment besides its number. A field left out is null. */
const facts = {
  carrier: Omittable(Line({ max: CARRIER_MAX }), description.carrier),
  tracking_url: Omittable(HttpsUrl({ max: TRACKING_URL_MAX }), description.tracking_url),
  expected_on: Omittable(CalendarDate(), description.expected_on),
  expected_until: Omittable(CalendarDate(), description.expected_until),
};

/** Dates of this form sort as texts. */
function daysDisagree({
  expected_on: on,
  expected_until: until,
}: Readonly<Record<string, unknown>>): Disagreement[] {
  if (until === undefined || until === null) return [];
  const disagree = (msg: string): Disagreement[] => [
    { field: 'expected_until', other: 'expected_on', type: 'value_error', msg: `Value error, ${msg}` },
  ];
  if (on === undefined || on === null) return disagree('needs expected_on');
  return typeof on === 'string' && typeof until === 'string' && until < on
    ? disagree('must not be before expected_on')
    : [];
}

/** The shipment that a push names. */
export const PushedShipment = Agreeing(
  Component('PushedShipment', { tracking_number: trackingNumber, ...facts }),
  daysDisagree,
);
export type PushedShipment = ValueOf<typeof PushedShipment>;

export const ShipmentBody = Agreeing(Component('ShipmentFacts', facts), daysDisagree);
export type ShipmentBody = ValueOf<typeof ShipmentBody>;
