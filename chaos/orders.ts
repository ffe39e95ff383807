/** A push of the run. Its number determines everything, so that the audit can find it. */
export interface Order {
  /** Unique in the run. */
  readonly subject: string;
  readonly shop: number;
  readonly body: Record<string, unknown>;
}

/** One call: a single push, or a batch of them. */
export interface PushCall {
  readonly shop: number;
  readonly key: string;
  readonly orders: readonly Order[];
  readonly batch: boolean;
}

const BATCH_OF = 20;
/** One push in this many is part of a batch. */
const BATCHES_EVERY = 5;
const PUSHES_PER_PERSON = 4;

export function callsFor(pushes: number, shops: number): PushCall[] {
  const calls: PushCall[] = [];
  for (let n = 0; n < pushes; ) {
    const shop = calls.length % shops;
    const batch = Math.floor(n / BATCH_OF) % BATCHES_EVERY === 0 && n % BATCH_OF === 0;
    const size = batch ? Math.min(BATCH_OF, pushes - n) : 1;
    const orders = Array.from({ length: size }, (_, index) => order(n + index, shop));
    calls.push({ shop, key: `call-${calls.length}`, orders, batch });
    n += size;
  }
  return calls;
}

function order(n: number, shop: number): Order {
  const person = Math.floor(n / PUSHES_PER_PERSON);
  const subject = `Order ${n}`;
  return {
    subject,
    shop,
    body: {
      recipient_email: `person${person}@example.com`,
      recipient_phone: `+447400${100_000 + person}`,
      subject,
      body: 'It left our warehouse this morning.',
      reference: `#${n}`,
      order_status: 'shipped',
      ...channelsOf(n),
    },
  };
}

/** Of ten pushes, six have only an email, two also a text, and two also WhatsApp with a text as the fallback. */
function channelsOf(n: number): Record<string, unknown> {
  const kind = n % 10;
  if (kind < 6) return {};
  if (kind < 8) return { channels: ['email', 'sms'] };
  return {
    channels: ['email', 'whatsapp'],
    whatsapp_opt_in: { source: 'checkout' },
    sms_if_whatsapp_fails: true,
  };
}
