/** A bug that somebody might make, and what must notice it. */
export interface Mutant {
  name: string;
  file: string;
  /** Stands exactly once in the file. */
  find: string;
  replace: string;
  /** The simulation, or the smallest suite that should catch it. */
  caughtBy: 'simulation' | `${'src' | 'test'}/${string}.test.ts`;
}

/** Each is planted alone, in a copy of the tree; `npm run mutants` shows that none survives. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'the gates are not asked again before the call',
    file: 'src/outbox/permit.ts',
    find: 'const stop = whyStopped(before, facts, purses, caps);',
    replace: 'const stop = before.attempts < 0 ? whyStopped(before, facts, purses, caps) : null;',
    caughtBy: 'simulation',
  },
  {
    name: 'a permit locks neither the person nor the message',
    file: 'src/outbox/lock.ts',
    find: '    lockRecipients(tx, ...recipientKeys(sends)),\n    lockMessages(tx, ...messages),\n',
    replace: '    null,\n    null,\n',
    caughtBy: 'simulation',
  },
  {
    name: 'a call whose answer never came is made again',
    file: 'src/outbox/lost.ts',
    find: "answer: { outcome: 'unknown', errorCode: 'answer_lost' }",
    replace: "answer: { outcome: 'not_taken', errorCode: 'answer_lost' }",
    caughtBy: 'simulation',
  },
  {
    name: 'a call that timed out is made again',
    file: 'src/outbox/call.ts',
    find: "resolve({ outcome: 'unknown', errorCode: 'timeout' });",
    replace: "resolve({ outcome: 'not_taken', errorCode: 'timeout' });",
    caughtBy: 'simulation',
  },
  {
    name: 'an unknown outcome gives its credit back',
    file: 'src/outbox/answers.ts',
    find: '        reason: OUTCOME_UNKNOWN,\n',
    replace: '        reason: OUTCOME_UNKNOWN,\n        charged: false,\n',
    caughtBy: 'simulation',
  },
  {
    name: 'a refund is paid twice over',
    file: 'src/businesses/credits.ts',
    find: "kind === 'refund' ? credits : 0",
    replace: "kind === 'refund' ? 2 * credits : 0",
    caughtBy: 'simulation',
  },
  {
    name: 'spending what was set aside leaves it set aside',
    file: 'src/outbox/change.ts',
    find: "return move(before.reserved ? 'charge_reserved' : 'charge');",
    replace: "return move('charge');",
    caughtBy: 'simulation',
  },
  {
    name: 'the balance is looked at without its lock',
    file: 'src/push/loadSql.ts',
    find: '    order by business_id for no key update\n',
    replace: '    order by business_id\n',
    caughtBy: 'simulation',
  },
  {
    name: 'an erasure keeps what was spent on a text that reached nobody',
    file: 'src/recipients/erasure.ts',
    find: '  await moveCredits(tx, refunds, now);\n',
    replace: '  void refunds;\n',
    caughtBy: 'test/erasure/recipient.test.ts',
  },
  {
    name: 'an erasure forgets the events',
    file: 'src/recipients/erasure.ts',
    find: 'const [payloads] = await scrubEvents(tx, ...at, PERSONAL_IN_EVENTS, null);',
    replace: 'const payloads = { queued: 0 };',
    caughtBy: 'simulation',
  },
  {
    name: 'an erasure forgets the audit',
    file: 'src/recipients/erasure.ts',
    find: 'const [audit] = await pseudonymiseAudit(tx, ...at, pseudonym(emailHash));',
    replace: 'const audit = { changed: 0 };',
    caughtBy: 'test/erasure/canary.test.ts',
  },
  {
    name: 'STOP is looked up as the carrier spelled the number',
    file: 'src/callbacks/inboundText.ts',
    find: 'const number = parsePhone(text.from)?.number;',
    replace: 'const number = parsePhone(text.from) ? text.from : undefined;',
    caughtBy: 'simulation',
  },
  {
    name: 'START lifts whatever stop there is',
    file: 'src/recipients/stops.ts',
    find: "standing.status === 'stopped' && standing.stoppedBy === 'text'",
    replace: "standing.status === 'stopped'",
    caughtBy: 'src/recipients/stops.test.ts',
  },
  {
    name: 'an unsubscription ends with the person',
    file: 'src/outbox/facts.ts',
    find: 'unsubscribed: send.unsubscribed_at !== null || (own?.unsubscribed ?? false),',
    replace: 'unsubscribed: send.unsubscribed_at !== null,',
    caughtBy: 'test/nudges/email.test.ts',
  },
  {
    name: 'a push does not see that its address had unsubscribed',
    file: 'src/push/knownFrom.ts',
    find: 'unsubscribed: own?.unsubscribed ?? false,',
    replace: 'unsubscribed: false,',
    caughtBy: 'test/erasure/recipient.test.ts',
  },
  {
    name: 'a number that was cleared is kept',
    file: 'src/recipients/recipient.ts',
    find: 'const recipient: Recipient = { ...before, phone: null };',
    replace: 'const recipient: Recipient = { ...before };',
    caughtBy: 'simulation',
  },
  {
    name: 'a fallback texts although WhatsApp may still arrive',
    file: 'src/outbox/siblings.ts',
    find: "    case 'accepted':\n      return 'no_status';",
    replace: "    case 'accepted':\n      return 'undeliverable';",
    caughtBy: 'simulation',
  },
  {
    name: 'opening a message leaves its escalation armed',
    file: 'src/messages/open.ts',
    find: 'message.sends.filter(isArmed)',
    replace: 'message.sends.filter(() => false)',
    caughtBy: 'simulation',
  },
  {
    name: 'a report takes back what was delivered',
    file: 'src/callbacks/afterReport.ts',
    find: "      if (!isUndecided(send)) return send;\n      return status === 'rejected' || notOnWhatsapp",
    replace: "      return status === 'rejected' || notOnWhatsapp",
    caughtBy: 'src/callbacks/afterReport.test.ts',
  },
  {
    name: 'an event is written outside of its transaction',
    file: 'src/bin/cli/business.ts',
    find: 'return recordEvents(tx, events, now);',
    replace: 'return recordEvents(pool, events, now);',
    caughtBy: 'simulation',
  },
  {
    name: 'a delivery carries an id of its own',
    file: 'src/webhooks/attempt.ts',
    find: 'const { url, type, body } = content;',
    replace:
      'const { url, type } = content; const body = content.body.replaceAll(eventId, eventId + job.attempts);',
    caughtBy: 'simulation',
  },
  {
    name: 'a signature is made over JSON that was encoded again',
    file: 'src/webhooks/attempt.ts',
    find: 'eventType: type, rawBody: body }',
    replace: 'eventType: type, rawBody: JSON.stringify(JSON.parse(body), null, 1) }',
    caughtBy: 'simulation',
  },
  {
    name: 'an attempt is written down by whoever lost its lease',
    file: 'src/webhooks/recordSql.ts',
    find: '      and d.lease = m.lease\n    returning m.*, d.logged',
    replace: '    returning m.*, d.logged',
    caughtBy: 'simulation',
  },
  {
    name: 'a 422 spends the key',
    file: 'src/push/accept.ts',
    find: "  if (verdict.kind === 'refused') return",
    replace:
      "  if (verdict.kind === 'refused') rows.remember(record(pushKey(item), item.fingerprint, 422, '{}', undefined));\n" +
      "  if (verdict.kind === 'refused') return",
    caughtBy: 'test/interface/optIn.test.ts',
  },
  {
    name: 'a replay is encoded again',
    file: 'src/push/answers.ts',
    find: 'body: before.response, replayed: true',
    replace: 'body: JSON.stringify(JSON.parse(before.response), null, 1), replayed: true',
    caughtBy: 'simulation',
  },
  {
    name: 'a key is remembered for ever',
    file: 'src/http/auth.ts',
    find: 'const { caller } = await lookups.add(hash);',
    replace: 'const caller = remembered.get(nameOf(hash)) ?? (await lookups.add(hash)).caller;',
    caughtBy: 'test/interface/authentication.test.ts',
  },
  {
    name: 'a push is accepted with a key that was revoked',
    file: 'src/push/callers.ts',
    find: "if (!caller) return new ApiError('business.invalid_api_key');",
    replace: 'if (!caller) return null;',
    caughtBy: 'test/interface/pushingWithRevokedKey.test.ts',
  },
  {
    name: 'a revoked key is told what is wrong with its push',
    file: 'src/http/register.ts',
    find: 'request.keyLeftToOperation ? await orRefusedKey(thrown, request) : thrown',
    replace: 'thrown',
    caughtBy: 'test/interface/pushingWithRevokedKey.test.ts',
  },
  {
    name: 'revoking a key leaves its children alive',
    file: 'src/businesses/keysSql.ts',
    find: 'on child.parent_id = falling.id where child.business_id = $1',
    replace: "on child.parent_id = falling.id || 'x' where child.business_id = $1",
    caughtBy: 'test/interface/keys.test.ts',
  },
  {
    name: 'a page begins by time alone',
    file: 'src/messages/readSql.ts',
    find: "page('and id < $2', '$3')",
    replace: "page('and left(id, 8) < left($2, 8)', '$3')",
    caughtBy: 'test/interface/messages.test.ts',
  },
  {
    name: 'a message is found by its id alone',
    file: 'src/messages/readSql.ts',
    find: 'where business_id = asked.business_id and id = asked.id offset 0',
    replace: 'where id = asked.id offset 0',
    caughtBy: 'simulation',
  },
  {
    name: 'what a carrier says of a number is held against the one given since',
    file: 'src/outbox/record.ts',
    find: 'number: attempt.number }] : [],',
    replace: 'number: null }] : [],',
    caughtBy: 'test/nudges/attempts.test.ts',
  },
  {
    name: 'an answer that comes after its send was given up moves it on',
    file: 'src/outbox/recordSql.ts',
    find: "and attempt_token = a.attempt_token and state = 'submitting'",
    replace: "and state <> 'held'",
    caughtBy: 'simulation',
  },
  {
    name: 'an email that was taken tells nothing to what is held until then',
    file: 'src/outbox/recordSql.ts',
    find: "and state = 'held' offset 0)",
    replace: "and state = 'held' and id = a.send_id offset 0)",
    caughtBy: 'simulation',
  },
  {
    name: 'whatever wrote nothing is answered before its locks are let go',
    file: 'src/push/accept.ts',
    find: 'if (rows.nothing) return { last: async () => nothingWritten(outcomes) };',
    replace: 'if (rows.nothing) return { unchanged: nothingWritten(outcomes) };',
    caughtBy: 'simulation',
  },
];
