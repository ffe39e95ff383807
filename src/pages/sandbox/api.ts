import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sendStream } from '../../api/streams.ts';
import { type Checked, refusal } from '../../api/validation/checked.ts';
import { faultAt, wrong } from '../../api/validation/faults.ts';
import { readBody } from '../../api/validation/parseJson.ts';
import { parseQuery } from '../../api/validation/urlText.ts';
import { compile, type Validator } from '../../api/validation/validate.ts';
import { createBusiness } from '../../businesses/create.ts';
import { REFERENCE_MAX, TRACKING_NUMBER_MAX } from '../../config/limits.ts';
import { channels } from '../../contract/channels.ts';
import { trackingStatuses } from '../../contract/orders.ts';
import {
  DateTime,
  Int,
  Line,
  Nullable,
  type ObjectSchema,
  OneOf,
  Optional,
  Shape,
  Text,
  type ValueOf,
} from '../../contract/schema.ts';
import { later, SECOND } from '../../kit/clock.ts';
import { ApiError, invalid } from '../../kit/errors.ts';
import { parsePhone } from '../../kit/phoneNumber.ts';
import { reportStatuses } from '../../providers/callbackContent.ts';
import type { Captured } from '../../sandbox/capture.ts';
import { createDownloads, DOWNLOADS_MAX } from '../kit/downloads.ts';
import { FORM_TYPE, queryOf } from '../kit/request.ts';
import type { SandboxDeps } from './deps.ts';
import { redirectAfter, type SandboxFlash, sandboxLocationOf } from './location.ts';
import { everythingCaptured, recipientAsStored } from './reads.ts';
import { findLatestAbout, listUpcoming } from './sql.ts';

/** Longer than any text or reply that a phone sends. */
const INBOUND_MAX = 10_000;
const ID_MAX = 200;
const ERROR_CODE_MAX = 200;
const BUSINESS_NAME_MAX = 100;
const CREDITS_MAX = 1_000_000;
/** Further than any scheduled time, but not so far that the time part of ids would overflow. */
const YEARS_AHEAD = 10;
const AHEAD_MAX_SECONDS = YEARS_AHEAD * 366 * 24 * 60 * 60;

const InboundBody = Shape({
  from: Text(),
  body: Text({ max: INBOUND_MAX }),
  business_id: Optional(Nullable(Text({ max: ID_MAX }))),
});
const ReportBody = Shape({
  provider_id: Text({ min: 1, max: ID_MAX }),
  status: OneOf(reportStatuses),
  error_code: Optional(Nullable(Text({ max: ERROR_CODE_MAX }))),
});
const TrackingBody = Shape({
  business_id: Text({ max: ID_MAX }),
  reference: Text({ max: REFERENCE_MAX }),
  tracking_number: Text({ max: TRACKING_NUMBER_MAX }),
  status: OneOf(trackingStatuses),
});
const ClockBody = Shape({
  advance_seconds: Optional(Int({ min: 0, max: AHEAD_MAX_SECONDS })),
  to: Optional(DateTime()),
  /** For the page's own button: up to the next due time. */
  next: Optional(OneOf(['due'])),
});
const OpenBody = Shape({ message_id: Text({ max: ID_MAX }) });
const BusinessBody = Shape({
  name: Optional(Line({ max: BUSINESS_NAME_MAX })),
  credits: Optional(Int({ min: 0, max: CREDITS_MAX })),
});
const OutboxQuery = Shape({
  channel: Optional(OneOf(channels)),
  to: Optional(Text()),
  message_id: Optional(Text({ max: ID_MAX })),
});

interface Done {
  answer: unknown;
  flash: SandboxFlash;
  /** The captured message that the page shows then; absent: the one that it showed. */
  open?: string;
}

/** Adds a call that changes something. A program sends and gets JSON; a form redirects back to the page. */
const actionsOn =
  (app: FastifyInstance, { site }: SandboxDeps) =>
  <Body extends ObjectSchema>(path: string, shape: Body, act: (body: ValueOf<Body>) => Promise<Done>) => {
    const validate = compile(shape);
    app.post(path, async (request, reply) => {
      const { answer, flash, open } = await act(bodyOf(request, validate));
      if (!isForm(request)) return reply.send(answer);
      const place = sandboxLocationOf(request.url);
      return redirectAfter(reply, site, { ...place, open: open ?? place.open }, flash);
    });
  };

/**
 * The calls that simulate the outside world: captured messages, what people reply and open, providers' and carriers' reports, and
 * the clock; and a business of its own for each test.
 */
export function sandboxCalls(app: FastifyInstance, deps: SandboxDeps): void {
  const { pool, clock } = deps;
  outboxRoute(app, deps);
  trackingRoute(app, deps);
  const action = actionsOn(app, deps);

  const inbound = (path: string, receive: SandboxDeps['textInbound'], flash: SandboxFlash) =>
    action(path, InboundBody, async ({ from, body, business_id: businessId = null }) => {
      if (parsePhone(from) === null) throw new ApiError('sms.phone_invalid');
      if (await receive({ from, body, businessId })) return { answer: { received: true }, flash };
      throw invalid(faultAt(['body', 'business_id'], wrong.value('no business has this id'), businessId));
    });
  inbound('/sandbox/sms/inbound', deps.textInbound, 'texted');
  inbound('/sandbox/whatsapp/inbound', deps.whatsappInbound, 'replied');

  action('/sandbox/open', OpenBody, async ({ message_id: messageId }) => {
    if (await deps.open(messageId)) return { answer: { opened: true }, flash: 'opened' };
    throw invalid(faultAt(['body', 'message_id'], wrong.value('no message has this id'), messageId));
  });

  action('/sandbox/businesses', BusinessBody, async ({ name = 'Test shop', credits = 0 }) => {
    const { businessId, apiKey } = await createBusiness(pool, clock, { name, credits });
    return { answer: { business_id: businessId, api_key: apiKey }, flash: 'business_created' };
  });

  action('/sandbox/reports', ReportBody, async ({ provider_id, status, error_code }) => {
    const known = await deps.report({ providerId: provider_id, status, errorCode: error_code ?? null });
    return { answer: { provider_id, status, known }, flash: known ? 'reported' : 'unknown' };
  });

  action('/sandbox/clock', ClockBody, async (move) => {
    const [next] = move.next === undefined ? [] : await listUpcoming(pool, clock.now(), 1);
    const to = move.next === undefined ? targetTime(move, clock.now()) : (next?.due_at ?? clock.now());
    const now = await deps.advanceClock(to);
    return { answer: { now: now.toISOString() }, flash: 'advanced' };
  });

  app.get('/sandbox/clock', async (_request, reply) => {
    const { now, offsetSeconds } = await deps.clockState();
    return reply.send({ now: now.toISOString(), offset_seconds: offsetSeconds });
  });
}

/** The carrier reports, and what was sent about it is shown. */
function trackingRoute(app: FastifyInstance, deps: SandboxDeps): void {
  const { pool, clock, reportTracking, advanceClock } = deps;
  actionsOn(app, deps)('/sandbox/tracking', TrackingBody, async (body) => {
    const { business_id: businessId, reference, tracking_number: trackingNumber, status } = body;
    const reported = await reportTracking({ businessId, reference, trackingNumber, status });
    if (reported === null)
      throw invalid(
        faultAt(['body', 'tracking_number'], wrong.value('the order has no such shipment'), trackingNumber),
      );
    const { result: answer, followed } = reported;
    if ('untold' in followed) return { answer, flash: followed.untold };
    // Only lets the work run that is due, so that the mail is there when the page is.
    await advanceClock(clock.now());
    const [sent] = await findLatestAbout(pool, businessId, followed.messageId);
    return sent === undefined ? { answer, flash: 'told_in_inbox' } : { answer, flash: 'told', open: sent.id };
  });
}

/** Everything that was captured, as a program reads it. */
function outboxRoute(app: FastifyInstance, { pool }: SandboxDeps): void {
  const downloads = createDownloads({ perShop: DOWNLOADS_MAX });
  const outboxQuery = compile(OutboxQuery);
  app.get('/sandbox/outbox.json', async (request, reply) => {
    const query = passedOrRefused(outboxQuery(filled(queryOf(request)), ['query']));
    const { channel = null, to, message_id: messageId = null } = query;
    const recipient = to === undefined ? null : recipientAsStored(to);
    const pages = everythingCaptured(pool, { channel, to: recipient, messageId });
    const answered = await downloads.answer('sandbox', request, async () =>
      sendStream(
        request,
        reply.type('application/json; charset=utf-8'),
        Readable.from(outboxJson(downloads.read(request, pages))),
      ),
    );
    if (typeof answered === 'string')
      throw new ApiError('common.unavailable', undefined, { 'retry-after': '1' });
    return answered;
  });
}

async function* outboxJson(pages: AsyncIterable<readonly Captured[]>): AsyncGenerator<string> {
  let separator = '{"items":[';
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield separator + page.map((captured) => JSON.stringify(captured)).join(',');
    separator = ',';
  }
  yield separator === ',' ? ']}' : '{"items":[]}';
}

/** The clock's target. It never goes back. */
function targetTime({ advance_seconds: seconds, to }: ValueOf<typeof ClockBody>, now: Date): Date {
  if (to === undefined) {
    if (seconds === undefined) throw invalid(faultAt(['body', 'advance_seconds'], wrong.missing, {}));
    return later(now, seconds * SECOND);
  }
  const refused = (why: string) => invalid(faultAt(['body', 'to'], wrong.value(why), to.toISOString()));
  if (seconds !== undefined) throw refused('not together with advance_seconds');
  if (to < now) throw refused(`the clock cannot go back; it is ${now.toISOString()}`);
  if (to > later(now, AHEAD_MAX_SECONDS * SECOND))
    throw refused(`must be at most ${YEARS_AHEAD} years ahead`);
  return to;
}

const isForm = (request: FastifyRequest): boolean =>
  String(request.headers['content-type'] ?? '').startsWith(FORM_TYPE);

function bodyOf<T>(request: FastifyRequest, validate: Validator<T>): T {
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  if (!isForm(request)) return passedOrRefused(readBody(bytes, validate));
  return passedOrRefused(validate(fromForm(bytes.toString('utf8')), ['body']));
}

/** A form has only texts; the one number among our fields is written as digits. */
function fromForm(text: string): Record<string, unknown> {
  const { advance_seconds: seconds, ...others } = filled(parseQuery(text));
  return {
    ...others,
    ...(seconds !== undefined && { advance_seconds: /^\d{1,12}$/.test(seconds) ? Number(seconds) : seconds }),
  };
}

/** An empty field in a form or a query counts as absent. */
const filled = (fields: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));

function passedOrRefused<T>(checked: Checked<T>): T {
  if (!checked.ok) throw refusal(checked);
  return checked.value;
}
