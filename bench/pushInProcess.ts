import type { Pool } from '../src/db/pool.ts';
import type { Clock } from '../src/kit/clock.ts';
import { newId } from '../src/kit/ids.ts';
import type { Hasher } from '../src/kit/seal.ts';
import type { Calling } from '../src/push/callers.ts';
import { createPushes } from '../src/push/pushes.ts';
import { recipientEmail, SAMPLE_PUSH } from './load/requests.ts';

export interface PushDeps {
  pool: Pool;
  clock: Clock;
  hash: Hasher;
}

const RECIPIENTS = 1_000;
const BYTES = 300;

/** Pushes one message to the next recipient, without HTTP. */
export function createPushOne(deps: PushDeps): (calling: Calling) => Promise<unknown> {
  const pushes = createPushes({
    ...deps,
    render: (result) => JSON.stringify(result),
    onSendsOf: () => {},
    onEvents: () => {},
  });
  let number = 0;
  return (calling) => {
    number += 1;
    const request = { ...REQUEST, recipientEmail: recipientEmail(number % RECIPIENTS) };
    return pushes.push({
      ...calling,
      key: newId(deps.clock.now()),
      fingerprint: '00',
      bytes: BYTES,
      request,
    });
  };
}

const REQUEST = {
  subject: SAMPLE_PUSH.subject,
  body: SAMPLE_PUSH.body,
  phone: null,
  channels: null,
  whatsappOptIn: null,
  smsIfWhatsappFails: false,
  reference: SAMPLE_PUSH.reference,
  orderStatus: SAMPLE_PUSH.order_status,
  kind: 'one_off',
  notify: null,
  sendAt: null,
  escalateMinutes: null,
  obsoletes: [],
  language: null,
} as const;
