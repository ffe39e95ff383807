import { createHmac } from 'node:crypto';
import type { TrackingKindName } from '../../src/connections/kinds/kind.ts';

/* What tracking services send of a parcel, in our own values. */

export interface Step {
  /** Our word; each service has its own. */
  status: 'in_transit' | 'out_for_delivery' | 'delivered' | 'exception' | 'returned' | 'nothing';
  /** In UTC. */
  at: string;
}

interface Service {
  body(number: string, steps: readonly Step[], id: string): unknown;
  /** Headers, and what is added to the address. */
  sign(body: Buffer, secret: string): { headers: Record<string, string>; query?: string };
}

const hmac = (secret: string, body: Buffer | string, encoding: 'base64' | 'hex'): string =>
  createHmac('sha256', secret).update(body).digest(encoding);

const words = (
  in_transit: string,
  out_for_delivery: string,
  delivered: string,
  exception: string,
  returned: string,
  nothing: string,
) => ({ in_transit, out_for_delivery, delivered, exception, returned, nothing });

const AFTERSHIP = words('InTransit', 'OutForDelivery', 'Delivered', 'Exception', 'Exception', 'Expired');
const EASYPOST = words(
  'in_transit',
  'out_for_delivery',
  'delivered',
  'failure',
  'return_to_sender',
  'unknown',
);
const SHIPPO = words('TRANSIT', 'TRANSIT', 'DELIVERED', 'FAILURE', 'RETURNED', 'UNKNOWN');
const KARRIO = words(
  'in_transit',
  'out_for_delivery',
  'delivered',
  'delivery_failed',
  'return_to_sender',
  'unknown',
);

/** A unix time as a service of another clock has it. */
const seconds = (): string => String(Math.floor(Date.now() / 1_000));

export const TRACKING_SERVICES: Record<TrackingKindName, Service> = {
  aftership: {
    body: (tracking_number, steps, event_id) => ({
      event: 'tracking_update',
      event_id,
      is_tracking_first_tag: true,
      msg: {
        tracking_number,
        slug: 'dpd',
        tag: AFTERSHIP[steps.at(-1)?.status ?? 'nothing'],
        checkpoints: steps.map(({ status, at }) => ({
          tag: AFTERSHIP[status],
          subtag: status === 'returned' ? 'Exception_011' : `${AFTERSHIP[status]}_001`,
          // Without a zone.
          checkpoint_time: at.slice(0, 19),
          message: `Parcel: ${status}`,
          city: 'Tartu',
          country_name: 'Estonia',
        })),
      },
      ts: 1,
    }),
    sign: (body, secret) => ({
      headers: { 'as-signature-hmac-sha256': 'other', 'aftership-hmac-sha256': hmac(secret, body, 'base64') },
    }),
  },
  easypost: {
    body: (tracking_code, steps, id) => ({
      id,
      object: 'Event',
      description: 'tracker.updated',
      mode: 'production',
      result: {
        object: 'Tracker',
        tracking_code,
        status: EASYPOST[steps.at(-1)?.status ?? 'nothing'],
        tracking_details: steps.map(({ status, at }) => ({
          object: 'TrackingDetail',
          message: `Parcel: ${status}`,
          status: EASYPOST[status],
          datetime: at,
          tracking_location: { city: 'Tartu', state: null, country: 'EE' },
        })),
      },
    }),
    sign: (body, secret) => ({
      headers: { 'x-hmac-signature': `hmac-sha256-hex=${hmac(secret.normalize('NFKD'), body, 'hex')}` },
    }),
  },
  shippo: {
    body: (tracking_number, steps, id) => {
      const history = steps.map(({ status, at }) => ({
        object_id: `${id}-${at}`,
        status: SHIPPO[status],
        substatus: status === 'out_for_delivery' ? { code: 'out_for_delivery' } : null,
        status_date: at,
        status_details: `Parcel: ${status}`,
        location: { city: 'Tartu', state: '', zip: '50090', country: 'EE' },
      }));
      return {
        event: 'track_updated',
        test: false,
        data: {
          carrier: 'ups',
          tracking_number,
          tracking_status: history.at(-1) ?? null,
          tracking_history: history,
        },
      };
    },
    sign: (body, secret) => {
      const t = seconds();
      const signed = Buffer.concat([Buffer.from(`${t}.`), body]);
      return { headers: { 'shippo-auth-signature': `t=${t},v1=${hmac(secret, signed, 'hex')}` } };
    },
  },
  karrio: {
    body: (tracking_number, steps, id) => ({
      id,
      event: 'tracker_updated',
      data: {
        tracking_number,
        carrier_name: 'dhl_express',
        status: KARRIO[steps.at(-1)?.status ?? 'nothing'],
        delivered: steps.at(-1)?.status === 'delivered',
        // Newest first.
        events: steps.toReversed().map(({ status, at }) => ({
          code: 'x',
          date: at.slice(0, 10),
          time: at.slice(11, 16),
          timestamp: at,
          status: KARRIO[status],
          description: `Parcel: ${status}`,
          location: 'Tartu, EE',
        })),
      },
    }),
    sign: (_, secret) => ({ headers: { 'x-event-id': secret } }),
  },
};
