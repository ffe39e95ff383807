import type { SimulatedBusiness } from './businesses.ts';
import type { ModelledMessage, PushedMessage } from './messagesModel.ts';
import type { PushedRecipient } from './recipientsModel.ts';
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
    subject: updates?.subject ?? `Order ${random.below(2)} of ${email}`,
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
    reference: random.chance(0.9) ? '#1001' : null,
    order_status: random.chance(0.9) ? 'shipped' : null,
    ...(phone !== null && { recipient_phone: phone }),
    ...(optIn && { whatsapp_opt_in: { source: 'checkout' } }),
    ...((updates || random.chance(0.2)) && { notify: true }),
    ...((updates || random.chance(0.25)) && { escalate_if_unread_after_minutes: 5 }),
    ...(random.chance(0.15) && {
      send_at: new Date(simulation.clock.now().getTime() + 120_000).toISOString(),
    }),
  };
}

/** The effect on the model once the response to this push is stored. */
export function modelUpdateFor(simulation: Simulation, business: SimulatedBusiness, body: PushBody) {
  const introduction: PushedRecipient = {
    email: body.recipient_email,
    phone: body.recipient_phone ?? null,
    optIn: body.whatsapp_opt_in !== undefined,
  };
  const message: PushedMessage = { ...body, email: body.recipient_email };
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
    const { id, created }: { id: string; created: boolean } = JSON.parse(response);
    const match = business.messages.match(message);
    if (created !== (match === null) || (match !== null && id !== match)) {
      simulation.fail(
        `the push that made or changed ${id} should have ${match === null ? 'made' : `changed ${match}`}`,
      );
    }
    business.people.push({ ...introduction, phoneTaken: wasTaken() });
    business.messages.push(id, message);
  };
}
