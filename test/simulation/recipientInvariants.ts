import type { CommitContext } from './invariants.ts';
import type { CommittedSend } from './snapshot.ts';

/** Messages, numbers, consent and opt-outs match the model of each business. */
export function recipientViolations({ after, businesses, hashOf }: CommitContext): string[] {
  return businesses.flatMap(({ id: businessId, people: { byEmail, stops }, messages }) => {
    const own = <Row extends { business_id: string }>(rows: readonly Row[]): Row[] =>
      rows.filter(({ business_id }) => business_id === businessId);
    const actual = own(after.recipients)
      .map((row) =>
        [
          row.email,
          row.phone,
          row.sms_status,
          row.sms_stopped_by,
          row.whatsapp_status,
          row.unsubscribed,
        ].join(' '),
      )
      .sort();
    const expected = [...byEmail]
      .map(([email, one]) =>
        [email, one.phone, one.sms, one.smsStoppedBy, one.whatsapp, one.unsubscribed].join(' '),
      )
      .sort();
    const actualStops = own(after.stops).map(({ channel, hash, made_by }) => `${channel} ${hash} ${made_by}`);
    const expectedStops = [...stops].map(([key, by]) => {
      const [channel = '', number = ''] = key.split(' ');
      return `${channel} ${hashOf(number)} ${by}`;
    });
    const actualMessages = own(after.messages).map(
      ({ id, status, opened_at, unread_again }) => `${id} ${status} ${opened_at === null || unread_again}`,
    );
    const expectedMessages = [...messages.byId].map(
      ([id, { status, unread }]) => `${id} ${status} ${unread}`,
    );
    return [
      ...different('messages', actualMessages.sort(), expectedMessages.sort()),
      ...different('people', actual, expected),
      ...different('opt-outs', actualStops.sort(), expectedStops.sort()),
    ];
  });
}

const different = (what: string, actual: readonly string[], expected: readonly string[]): string[] =>
  JSON.stringify(actual) === JSON.stringify(expected)
    ? []
    : [`${what} are ${JSON.stringify(actual)}, and should be ${JSON.stringify(expected)}`];

/** Retries, resends and fallbacks included, at most one text of a message has, or may have, reached the person. */
export function duplicateTextViolations({ after }: CommitContext): string[] {
  return after.messages
    .filter(({ kind }) => kind === 'one_off')
    .flatMap(({ id }) => {
      const texts = after.sends.filter(
        (send) =>
          send.message_id === id &&
          send.channel === 'sms' &&
          (['submitting', 'accepted', 'delivered'].includes(send.state) || send.reason === 'outcome_unknown'),
      );
      return texts.length > 1 ? [`${texts.length} texts of the message ${id} may have arrived`] : [];
    });
}

/** Opening a message cancels its escalations, and nothing else says that it was opened. */
export function escalationViolations({ before, after, businesses }: CommitContext): string[] {
  const isUnread = ({ message_id }: CommittedSend): boolean =>
    businesses.some(({ messages }) => messages.byId.get(message_id ?? '')?.unread === true);
  const held = new Set(before.sends.filter(({ state }) => state === 'held').map(({ id }) => id));
  return after.sends.flatMap((send) => {
    const name = `${send.channel} send ${send.id}`;
    if (send.state === 'held' && send.escalate_minutes !== null && !isUnread(send))
      return [`${name} is still armed although its message was opened`];
    return send.reason === 'opened_first' && held.has(send.id) && isUnread(send)
      ? [`${name} is cancelled although nobody has opened its message since the push that set it`]
      : [];
  });
}

/** Events about an erased person do not name them. */
export function erasureViolations({ after }: CommitContext): string[] {
  const named = after.order_recipients.map(({ named_id }) => named_id);
  const known = new Set([...after.recipients.map(({ id }) => id), ...named]);
  return after.events
    .filter(({ recipient_id }) => recipient_id !== null && !known.has(recipient_id))
    .filter(({ type, data }) =>
      (type === 'order.updated' ? PERSONAL_IN_ORDERS : PERSONAL).some(
        (field) => (data[field] ?? null) !== null,
      ),
    )
    .map(({ type, id }) => `the event ${type} ${id} names somebody who was erased`);
}

const PERSONAL = ['recipient_email', 'recipient_phone', 'subject', 'body'];
const PERSONAL_IN_ORDERS = ['recipient_email', 'reference', 'tracking_number'];
