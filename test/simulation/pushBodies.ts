import type { SimulatedBusiness } from './businesses.ts';
import type { ModelledMessage, PushedMessage } from './messagesModel.ts';
import type { Random } from './random.ts';
import type { PushedRecipient } from './recipientsModel.ts';
import { anyReference, anyShipment, shipmentNamedBy } from './shipments.ts';
import type { Simulation } from './simulation.ts';

export const EMAILS = [0, 1, 2, 3].map((number) => `wanda.quokka${number}@example.com`);
export const NUMBERS = [0, 1, 2, 3].map((number) => `+44770090010${number}`);

type PushBody = ReturnType<typeof pushBody>;

/** Any update about an order, as a merchant might send it; or one of this message, that escalates. */
export function pushBody(simulation: Simulation, business: SimulatedBusiness, updates?: ModelledMessage) {
  const { random } = simulation;
  const email = updates?.email ?? random.pick(EMAILS);
  const optIn = random.chance(0.7);
  const known = business.people.byEmail.get(email)?.phone ?? null;
  const phone = (optIn && known === null) || random.chance(updates ? 0 : 0.5) ? random.pick(NUMBERS) : null;
  const kind = updates?.kind ?? random.pick(['one_off', 'updateable'] as const);
  const ids = [...business.messages.byId.keys()];
  return {
    recipient_email: email,
    subject: updates?.subject ?? anySubject(random, email),
    body: `For ${email}.`,
    kind,
    obsoletes: random.chance(0.15) && ids.length > 0 ? [random.pick(ids)] : [],
    channels: random.pick([
      ['sms'],
      ['sms'],
      ['whatsapp'],
      ['whatsapp'],
      ['sms', 'whatsapp'],
      ['email'],
    ] as const),
    sms_if_whatsapp_fails: random.chance(0.5),
    ...orderOf(simulation),
    ...(phone !== null && { recipient_phone: phone }),
    ...(optIn && { whatsapp_opt_in: { source: 'checkout' } }),
    ...((updates || random.chance(0.2)) && { notify: true }),
    ...((updates || random.chance(0.25)) && { escalate_if_unread_after_minutes: 5 }),
    ...(random.chance(0.15) && {
      send_at: new Date(simulation.clock.now().getTime() + 120_000).toISOString(),
    }),
  };
}

/** Sometimes that of a milestone, whose message it may then update, or the other way round. */
const anySubject = (random: Random, email: string): string =>
  random.chance(0.2)
    ? `Your order ${anyReference(random)} is out for delivery`
    : `Order ${random.below(2)} of ${email}`;

/** Mostly a status whose WhatsApp template is approved. */
function orderOf({ random }: Simulation) {
  const reference = random.chance(0.9) ? anyReference(random) : null;
  return {
    reference,
    order_status: random.weighted([
      [14, 'shipped'],
      [2, 'out_for_delivery'],
      [2, 'delivered'],
      [1, 'on_hold'],
      [2, null],
    ]),
    ...(reference !== null && random.chance(0.2) && { shipment: anyShipment(random) }),
  };
}

/** The effect on the model once the response to this push is stored. */
export function modelUpdateFor(simulation: Simulation, business: SimulatedBusiness, body: PushBody) {
  const introduction: PushedRecipient = {
    email: body.recipient_email,
    phone: body.recipient_phone ?? null,
    optIn: body.whatsapp_opt_in !== undefined,
  };
  const { reference, order_status: orderStatus } = body;
  const message: PushedMessage = { ...body, email: body.recipient_email, orderStatus, milestoneAt: null };
  const before = business.people.freed.length;
  /** The holder of the number at the decision may have lost it before the commit. */
  const wasTaken = (): boolean => {
    const freed = business.people.freed.slice(before).some((number) => number === introduction.phone);
    const stored = simulation.snapshot.recipients.find(
      ({ business_id, email }) => business_id === business.id && email === introduction.email,
    );
    return freed && stored?.phone !== introduction.phone;
  };
  return (response: string): void => {
    const { id, created, updated_at }: { id: string; created: boolean; updated_at: string } =
      JSON.parse(response);
    const match = business.messages.match(message);
    if (created !== (match === null) || (match !== null && id !== match)) {
      simulation.fail(
        `the push that made or changed ${id} should have ${match === null ? 'made' : `changed ${match}`}`,
      );
    }
    business.people.push({ ...introduction, phoneTaken: wasTaken() });
    const { messages, orders } = business;
    for (const named of [messages.byId.get(id)?.reference ?? null, reference])
      orders.touch(named, simulation.commits);
    messages.push(id, message, Date.parse(updated_at));
    const shipment = body.shipment;
    if (reference === null || !shipment) return;
    orders.nameShipment(reference, shipment.tracking_number, shipmentNamedBy(shipment), simulation.commits);
  };
}
