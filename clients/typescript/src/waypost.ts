import { createCall } from './call.ts';
import { sendableKey } from './keys.ts';
import { CreditsResource } from './resources/credits.ts';
import { Events } from './resources/events.ts';
import { Keys } from './resources/keys.ts';
import { Messages } from './resources/messages.ts';
import { Orders } from './resources/orders.ts';
import { Recipients } from './resources/recipients.ts';
import { Sandbox } from './resources/sandbox.ts';
import { Texts } from './resources/texts.ts';
import { UsageResource } from './resources/usage.ts';
import { WebhookEndpoints } from './resources/webhookEndpoints.ts';
import { createSend, type Fetch, type RetryNotice, systemTime, type Time } from './transport.ts';

/** How to reach the service. */
export interface WaypostOptions {
  /** The address of the service, such as `https://updates.example.com`. A path in it is kept. By default `WAYPOST_BASE_URL` of the environment. */
  baseUrl?: string | undefined;
  /** An API key of your business: `way_live_…`. By default `WAYPOST_API_KEY` of the environment. */
  apiKey?: string | undefined;
  /** For how long a call is tried in all, in milliseconds. By default 60,000. */
  deadlineMs?: number | undefined;
  /** For how long one attempt waits for its answer, in milliseconds. By default 15,000. */
  attemptTimeoutMs?: number | undefined;
  /** How often a failed attempt is repeated at most. By default as often as the deadline allows. */
  maxRetries?: number | undefined;
  /** Instead of the runtime's own `fetch`. */
  fetch?: Fetch | undefined;
  /** Called before each repeated attempt, for your metrics. The client itself logs nothing. */
  onRetry?: ((notice: RetryNotice) => void) | undefined;
  /** The key that opens the sandbox of a service on another machine. */
  sandboxKey?: string | undefined;
  /** The passing of time, which a test can replace. */
  time?: Time | undefined;
}

const DEADLINE_MS = 60_000;
const ATTEMPT_TIMEOUT_MS = 15_000;

/** The Waypost API. Every method resolves to what the server answers and rejects with a WaypostError. */
export class Waypost {
  /** Pushing updates, and what became of them. */
  readonly messages: Messages;
  /** Your orders, and what their carriers report. */
  readonly orders: Orders;
  /** The words of the messages that Waypost writes itself. */
  readonly texts: Texts;
  /** The feed of events. */
  readonly events: Events;
  /** API keys. */
  readonly keys: Keys;
  /** Prepaid credits. */
  readonly credits: CreditsResource;
  /** The people whom you messaged. */
  readonly recipients: Recipients;
  /** The addresses that webhooks go to. */
  readonly webhookEndpoints: WebhookEndpoints;
  /** What was sent, and what it cost. */
  readonly usage: UsageResource;
  /** For tests against a service with sandbox providers. */
  readonly sandbox: Sandbox;

  constructor(options: WaypostOptions = {}) {
    const { sandboxKey, onRetry = () => {}, time = systemTime } = options;
    const { deadlineMs = DEADLINE_MS, attemptTimeoutMs = ATTEMPT_TIMEOUT_MS } = options;
    const { maxRetries = Number.POSITIVE_INFINITY } = options;
    const apiKey = options.apiKey ?? variable('WAYPOST_API_KEY');
    if (typeof apiKey !== 'string' || apiKey === '')
      throw new TypeError('Waypost needs an apiKey, or the variable WAYPOST_API_KEY: way_live_…');
    sendableKey('apiKey', apiKey);
    if (sandboxKey !== undefined) sendableKey('sandboxKey', sandboxKey);
    // Some runtimes refuse a fetch that is called as a method of another object.
    const fetch: Fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
    const baseUrl = baseOf(options.baseUrl ?? variable('WAYPOST_BASE_URL'));
    const send = createSend({ baseUrl, fetch, deadlineMs, attemptTimeoutMs, maxRetries, onRetry, time });
    const call = createCall(send, apiKey);
    this.messages = new Messages(call);
    this.orders = new Orders(call);
    this.texts = new Texts(call);
    this.events = new Events(call, attemptTimeoutMs, time);
    this.keys = new Keys(call);
    this.credits = new CreditsResource(call);
    this.recipients = new Recipients(call);
    this.webhookEndpoints = new WebhookEndpoints(call);
    this.usage = new UsageResource(call);
    this.sandbox = new Sandbox(send, sandboxKey, deadlineMs);
  }
}

/** Of the environment, in a runtime that has one. */
function variable(name: string): string | undefined {
  const { process }: { process?: { env?: Record<string, string | undefined> } } = Object(globalThis);
  return process?.env?.[name];
}

/** Without a slash at its end, and without the path that every call begins with. */
function baseOf(baseUrl: string | undefined): string {
  const url = typeof baseUrl === 'string' ? baseUrl.replace(/(\/api\/v1)?\/{0,9}$/, '') : '';
  if (!/^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/.test(url))
    throw new TypeError(
      'Waypost needs a baseUrl, or the variable WAYPOST_BASE_URL: the http(s) address of your service, without a user or a query',
    );
  return url;
}
