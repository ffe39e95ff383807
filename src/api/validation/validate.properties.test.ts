import fc from 'fast-check';
import { Check } from 'typebox/value';
import { expect, test } from 'vitest';
import {
  Bool,
  Email,
  FutureDateTime,
  Int,
  List,
  Nullable,
  OneOf,
  Optional,
  Reference,
  Shape,
  Text,
  type ValueOf,
  WithDefault,
} from '../../contract/schema.ts';
import { type Clock, DAY, later } from '../../kit/clock.ts';
import type { Fault } from '../../kit/errors.ts';
import { isObject } from '../../kit/json.ts';
import { readBody } from './parseJson.ts';
import { compile } from './validate.ts';

const now = new Date('2026-08-20T09:15:00.000Z');
const clock: Clock = { now: () => now };

/** The shape of a push: the largest that the interface has. */
const Push = Shape({
  recipient_email: Email(),
  subject: Text({ max: 300, blank: false }),
  body: Text({ max: 10_000, blank: false }),
  channels: Optional(Nullable(List(OneOf(['email', 'sms', 'whatsapp'])))),
  whatsapp_opt_in: Optional(Nullable(Shape({ source: Text({ max: 200, blank: false }) }))),
  sms_if_whatsapp_fails: WithDefault(Bool(), false),
  reference: Optional(Nullable(Reference({ max: 64 }))),
  kind: WithDefault(OneOf(['one_off', 'updateable']), 'one_off'),
  send_at: Optional(Nullable(FutureDateTime({ within: 90 * DAY }))),
  escalate_if_unread_after_minutes: Optional(Nullable(Int({ min: 5, max: 10_080 }))),
  obsoletes: WithDefault(List(Text({ max: 64 }), { max: 100 }), []),
});
const validate = compile(Push, { clock });

const letters = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
const someText = letters.filter((text) => text.trim() !== '');
const someReference = fc.string({ unit: fc.constantFrom(...'aZ09#-_./'), minLength: 1, maxLength: 64 });
const someEmail = fc
  .tuple(fc.string({ unit: fc.constantFrom(...'az09+_-'), minLength: 1, maxLength: 64 }), fc.domain())
  .map(([local, domain]) => `${local}@${domain.toLowerCase()}`)
  .filter((address) => address.length <= 254);
const somePush = fc.record(
  {
    recipient_email: someEmail,
    subject: someText,
    body: someText,
    channels: fc.option(fc.array(fc.constantFrom('email', 'sms', 'whatsapp'))),
    whatsapp_opt_in: fc.option(fc.record({ source: someText })),
    sms_if_whatsapp_fails: fc.boolean(),
    reference: fc.option(someReference),
    kind: fc.constantFrom('one_off', 'updateable'),
    send_at: fc.option(fc.date({ min: later(now, 1), max: later(now, 90 * DAY), noInvalidDate: true })),
    escalate_if_unread_after_minutes: fc.option(fc.integer({ min: 5, max: 10_080 })),
    obsoletes: fc.array(fc.string({ maxLength: 20 }), { maxLength: 100 }),
  },
  { requiredKeys: ['recipient_email', 'subject', 'body'] },
);

/** Anything at all, and a push with any of its fields gone wrong, which gets further into the shape. */
const anything = fc.oneof(
  fc.jsonValue(),
  fc
    .tuple(somePush, fc.dictionary(fc.constantFrom(...Object.keys(Push.properties)), fc.jsonValue()))
    .map(([push, mistakes]): unknown => JSON.parse(JSON.stringify({ ...push, ...mistakes }))),
);

test('a valid push comes through as it was sent, unknown fields aside', () => {
  const unknownName = fc.string({ maxLength: 5 }).map((name) => `x-${name}`);
  fc.assert(
    fc.property(somePush, fc.dictionary(unknownName, fc.jsonValue()), (push, unknown) => {
      const sent = { ...unknown, ...JSON.parse(JSON.stringify(push)) };
      const defaults = { sms_if_whatsapp_fails: false, kind: 'one_off', obsoletes: [] };
      expect(validate(sent, ['body'])).toEqual({ ok: true, value: { ...defaults, ...push } });
    }),
  );
});

test('no JSON value is too strange to get an answer, and what is accepted is of the declared shape', () => {
  fc.assert(
    fc.property(anything, (value) => {
      const checked = validate(value, ['body']);
      if (checked.ok) {
        // TypeBox itself agrees, once the moment is written out again.
        const written: ValueOf<typeof Push> = checked.value;
        expect(Check(Push, JSON.parse(JSON.stringify(written)))).toBe(true);
        expect(Object.getPrototypeOf(written)).toBe(Object.prototype);
      } else {
        expect(checked.faults.length).toBeGreaterThan(0);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('every fault has the documented shape and points at the value it reports', () => {
  fc.assert(
    fc.property(anything, (value) => {
      const checked = validate(value, ['body']);
      for (const fault of checked.ok ? [] : checked.faults) {
        expect(Object.keys(fault)).toEqual(['type', 'loc', 'msg', 'input']);
        expect(fault.loc[0]).toBe('body');
        expect(fault.msg).not.toBe('');
        expect(fault.input).toEqual(reported(value, fault));
      }
    }),
    { numRuns: 1_000 },
  );
});

/** The value at the fault's location; for a missing field, the object without it. */
function reported(value: unknown, { type, loc }: Fault): unknown {
  const steps = type === 'missing' ? loc.slice(1, -1) : loc.slice(1);
  return steps.reduce<unknown>((at, step) => {
    if (Array.isArray(at) && typeof step === 'number') return at[step];
    return isObject(at) && typeof step === 'string' ? at[step] : undefined;
  }, value);
}

test('no bytes are too strange to get an answer', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.json().map((text) => new TextEncoder().encode(text)),
    fc
      .tuple(fc.json(), fc.nat(), fc.integer({ min: 0, max: 255 }))
      .map(([text, at, byte]) =>
        new TextEncoder().encode(text).map((old, i, all) => (i === at % all.length ? byte : old)),
      ),
  );
  fc.assert(
    fc.property(bytes, (body) => {
      const checked = readBody(Buffer.from(body), validate);
      expect(checked.ok || checked.faults.length > 0).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
