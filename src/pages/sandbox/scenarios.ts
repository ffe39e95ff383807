import { DAY, later } from '../../kit/clock.ts';
import { ApiError } from '../../kit/errors.ts';

/** A push with something to watch. */
export interface Scenario {
  name: string;
  label: string;
  watch: string;
  push: Record<string, unknown>;
}

const order = (reference: string) => ({
  recipient_email: 'ann@example.com',
  recipient_phone: '+37255550134',
  subject: `Your order ${reference} has shipped`,
  body: 'It left our warehouse this morning. Track it: https://carrier.example/1001',
  reference,
  order_status: 'shipped',
});

/** The person whose phone accepts everything and never reports back. */
const silent = { recipient_email: 'sam@example.com', recipient_phone: '+447700909004' };

/** Expected two days ahead on the sandbox's clock. */
const shipment = (reference: string, now: Date) => ({
  tracking_number: `JD0146${reference.slice(1)}`,
  carrier: 'Omniva',
  tracking_url: `https://carrier.example/JD0146${reference.slice(1)}`,
  expected_on: later(now, 2 * DAY)
    .toISOString()
    .slice(0, 'YYYY-MM-DD'.length),
});

export const scenariosOf = (reference: string, now: Date): readonly Scenario[] => [
  {
    name: 'email',
    label: 'An email',
    watch: 'Open its link: the event message.opened follows.',
    push: order(reference),
  },
  {
    name: 'parcel',
    label: 'An order with a parcel',
    watch: 'On the mail, let the carrier report what comes next: from “out for delivery” on, Ann is told.',
    push: {
      ...order(reference),
      body: 'It left our warehouse this morning.',
      shipment: shipment(reference, now),
    },
  },
  {
    name: 'text',
    label: 'An email and an SMS',
    watch: 'Reply STOP on the phone, then push again: the SMS is skipped.',
    push: { ...order(reference), channels: ['sms'] },
  },
  {
    name: 'unread',
    label: 'An SMS only if unread',
    watch: 'It waits ten minutes: move the clock, and it goes. Open the link first, and it does not.',
    push: { ...order(reference), channels: ['sms'], escalate_if_unread_after_minutes: 10 },
  },
  {
    name: 'fallback',
    label: 'WhatsApp, else an SMS',
    watch: 'Sam’s phone never reports: five minutes later the SMS goes instead.',
    push: {
      ...order(reference),
      ...silent,
      channels: ['whatsapp'],
      whatsapp_opt_in: { source: 'checkout' },
      sms_if_whatsapp_fails: true,
    },
  },
  {
    name: 'bounce',
    label: 'An address that bounces',
    watch: 'The event message.bounced follows, and the address is suppressed.',
    push: { ...order(reference), recipient_email: 'bounce@example.com', recipient_phone: null },
  },
];

export function scenarioNamed(name: string | undefined, reference: string, now: Date): Scenario {
  const scenario = scenariosOf(reference, now).find((one) => one.name === name);
  if (scenario === undefined) throw new ApiError('common.not_found');
  return scenario;
}
