import { z } from 'zod';
import { IDEMPOTENCY_KEY_MAX } from '../config/limits.ts';
import { findInText } from './findInText.ts';

/** Calls the API with the assistant's key. */
export type CallApi = (method: 'GET' | 'POST', path: string, call?: ApiCall) => Promise<ToolAnswer>;

export interface ApiCall {
  body?: unknown;
  idempotencyKey?: string;
}

export interface ToolAnswer {
  status: number;
  text: string;
}

/** A tool of an assistant, as data: one call of the API, or two. What the key may not do, the API refuses. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  input: z.ZodObject;
  /** Whether something may be sent or changed; such tools are there only where they were asked for. */
  sends: boolean;
  run(api: CallApi, input: unknown): Promise<ToolAnswer>;
}

const tool = <Input extends z.ZodObject>({
  input,
  run,
  sends = false,
  ...rest
}: Omit<Tool, 'input' | 'run' | 'sends'> & {
  input: Input;
  sends?: boolean;
  run(api: CallApi, input: z.output<Input>): Promise<ToolAnswer>;
}): Tool => ({ ...rest, input, sends, run: (api, given) => run(api, input.parse(given)) });

const RESULTS_MAX = 100;

const id = z.string().regex(/^[0-9a-z]{1,64}$/);
/** As a part of a path; `.` and `..` would lead to another. */
const part = z.string().regex(/^(?!\.{1,2}$).{1,512}$/su);
const page = {
  limit: z.number().int().min(1).max(RESULTS_MAX).optional(),
  cursor: z.string().optional().describe('`next_cursor` of the page before.'),
};
const push = z.looseObject({
  recipient_email: z.string(),
  subject: z.string(),
  body: z.string().describe('Plain text, as the customer reads it.'),
  reference: z.string().optional().describe('The number of the order.'),
  order_status: z.string().optional().describe('For example confirmed, shipped, ready_for_pickup.'),
  channels: z.array(z.string()).optional().describe('Beside the email: sms, whatsapp. Both cost credits.'),
  recipient_phone: z.string().optional().describe('In E.164. Only where the customer agreed to texts.'),
});
const idempotencyKey = z
  .string()
  .min(1)
  .max(IDEMPOTENCY_KEY_MAX)
  .describe('What the call is about, such as order-1001-shipped: with the same key nothing is sent twice.');

export const TOOLS: readonly Tool[] = [
  tool({
    name: 'list_messages',
    title: 'List messages',
    description:
      'The messages of the shop, newest first, each with what became of its email, SMS and WhatsApp.',
    input: z.object({
      recipient_email: z.string().optional().describe('Only to this customer.'),
      reference: z.string().optional().describe('Only of this order.'),
      status: z.enum(['active', 'obsolete', 'retracted']).optional(),
      created_after: z.iso.datetime({ offset: true }).optional(),
      created_before: z.iso.datetime({ offset: true }).optional(),
      ...page,
    }),
    run: (api, query) => api('GET', withQuery('/api/v1/messages', query)),
  }),
  tool({
    name: 'read_message',
    title: 'Read a message and why it went out or not',
    description:
      'A message with its outcome by channel, and its timeline: every step as a sentence, with the reason where something was not sent.',
    input: z.object({ id }),
    run: (api, input) => {
      const path = `/api/v1/messages/${input.id}`;
      return together(api, { message: path, timeline: `${path}/timeline` });
    },
  }),
  tool({
    name: 'list_orders',
    title: 'List orders',
    description: 'The orders that messages named, the latest change first.',
    input: z.object({
      recipient_email: z.string().optional().describe('Only of this customer.'),
      updated_after: z.iso.datetime({ offset: true }).optional(),
      ...page,
    }),
    run: (api, query) => api('GET', withQuery('/api/v1/orders', query)),
  }),
  tool({
    name: 'read_order',
    title: 'Read an order',
    description: 'An order with its status, shipments, tracking events and messages.',
    input: z.object({ reference: part.describe('The number of the order, such as #1001.') }),
    run: (api, { reference }) => api('GET', `/api/v1/orders/${encodeURIComponent(reference)}`),
  }),
  tool({
    name: 'read_recipient',
    title: 'Read a customer',
    description: 'What may reach a customer: consent, number, suppressions, opt-outs.',
    input: z.object({ email: part }),
    run: (api, { email }) => api('GET', `/api/v1/recipients/${encodeURIComponent(email)}`),
  }),
  tool({
    name: 'list_events',
    title: 'List events',
    description: 'The feed of what happened: deliveries, bounces, replies, orders. Oldest first.',
    input: z.object({
      after: z
        .string()
        .optional()
        .describe('`next` of the answer before. Omitted: from the oldest event kept.'),
      types: z.string().optional().describe('Only these types, separated by commas.'),
      message_id: id.optional(),
      limit: page.limit,
    }),
    run: (api, query) => api('GET', withQuery('/api/v1/events', query)),
  }),
  tool({
    name: 'list_webhook_endpoints',
    title: 'List webhook endpoints',
    description: 'Where events are posted to, with the health of each endpoint.',
    input: z.object({}),
    run: (api) => api('GET', '/api/v1/webhook-endpoints'),
  }),
  tool({
    name: 'list_deliveries',
    title: 'List deliveries of a webhook endpoint',
    description: 'What was posted to an endpoint, each with every attempt and why it failed.',
    input: z.object({
      endpoint_id: id,
      status: z.enum(['pending', 'delivered', 'exhausted', 'cancelled']).optional(),
      ...page,
    }),
    run: (api, { endpoint_id, ...query }) =>
      api('GET', withQuery(`/api/v1/webhook-endpoints/${endpoint_id}/deliveries`, query)),
  }),
  tool({
    name: 'read_usage',
    title: 'Read usage and credits',
    description: 'How much was sent by channel and country, what it cost, and how many credits are left.',
    input: z.object({
      from: z.iso.date().optional().describe('The first day.'),
      to: z.iso.date().optional().describe('The last day.'),
    }),
    run: (api, query) =>
      together(api, { usage: withQuery('/api/v1/usage', query), credits: '/api/v1/credits' }),
  }),
  tool({
    name: 'search_docs',
    title: 'Search the documents',
    description: 'The parts of the API reference that fit a question best.',
    input: z.object({ query: z.string().min(1).max(300) }),
    run: async (api, { query }) => {
      const { status, text } = await api('GET', '/llms-full.txt');
      return { status, text: status === 200 ? findInText(text, query) : text };
    },
  }),
  tool({
    name: 'preview_message',
    title: 'Preview a message',
    description:
      'What a push would do: which channels it would use, in which words, at what cost. Sends nothing.',
    input: push,
    run: (api, body) => api('POST', '/api/v1/messages/preview', { body }),
  }),
  tool({
    name: 'push_message',
    title: 'Send a message',
    description:
      'Pushes an update to a customer: into the inbox and by email, and by the channels that are named. Preview it first.',
    input: push.extend({ idempotency_key: idempotencyKey }),
    sends: true,
    run: (api, { idempotency_key, ...body }) =>
      api('POST', '/api/v1/messages', { body, idempotencyKey: idempotency_key }),
  }),
  tool({
    name: 'resend_message',
    title: 'Send a message again',
    description:
      'Sends a message that the customer has not read again, as SMS or on WhatsApp. It costs credits.',
    input: z.object({ id, channel: z.enum(['sms', 'whatsapp']), idempotency_key: idempotencyKey }),
    sends: true,
    run: (api, input) =>
      api('POST', `/api/v1/messages/${input.id}/${input.channel}`, { idempotencyKey: input.idempotency_key }),
  }),
  tool({
    name: 'retract_message',
    title: 'Retract a message',
    description: 'Takes a message out of the inbox and cancels what has not gone out. It cannot be undone.',
    input: z.object({ id, idempotency_key: idempotencyKey }),
    sends: true,
    run: (api, input) =>
      api('POST', `/api/v1/messages/${input.id}/retract`, { idempotencyKey: input.idempotency_key }),
  }),
];

function withQuery(path: string, fields: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? path : `${path}?${query}`;
}

/** Several reads as one answer; the first that is refused is the answer. */
async function together(api: CallApi, paths: Readonly<Record<string, string>>): Promise<ToolAnswer> {
  const parts: string[] = [];
  for (const [name, path] of Object.entries(paths)) {
    const answer = await api('GET', path);
    if (answer.status !== 200) return answer;
    parts.push(`${JSON.stringify(name)}:${answer.text}`);
  }
  return { status: 200, text: `{${parts.join(',')}}` };
}
