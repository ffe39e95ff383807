import { isSignedWebhook, mayBeSignedWebhook, type WebhookHeaders } from '../../kit/standardWebhooks.ts';
import {
  type CallbackDeps,
  type CallbackFormat,
  type CallbackRequest,
  callbackPath,
  jsonIn,
  KiB,
} from '../callbackFormat.ts';
import type { ProviderKind } from '../kind.ts';
import type { AnyOutbound, Provider } from '../provider.ts';
import { parseHttpCallback } from './callback.ts';
import { checkHttp } from './check.ts';
import { type HttpDeps, sendHttpEmail, sendHttpSms, sendHttpWhatsapp } from './send.ts';
import type { HttpReceiver } from './settings.ts';

/** The same for each channel but the sending. */
const httpKind = <Message extends AnyOutbound, Settings extends { receiver: HttpReceiver }>(
  send: (settings: Settings, deps: HttpDeps) => Provider<Message>,
): ProviderKind<Message, Settings> => ({
  open: (settings, deps) => send(settings, { ...deps, callbackUrl: deps.publicUrl + callbackPath('http') }),
  check: ({ receiver }, deps) => checkHttp(receiver, deps),
  callbacks: ({ receiver }, deps) => httpCallbacks(receiver, deps),
});

export const httpEmail = httpKind(sendHttpEmail);
export const httpSms = httpKind(sendHttpSms);
export const httpWhatsapp = httpKind(sendHttpWhatsapp);

const BYTES_MAX = 128 * KiB;

/** Statuses and inbound messages of the receiver. */
const httpCallbacks = (
  { callbackSecret: secret }: HttpReceiver,
  { wallClock }: CallbackDeps,
): CallbackFormat => ({
  bytesMax: BYTES_MAX,
  mayBeGenuine: (request) => mayBeSignedWebhook(headersOf(request), wallClock.now()),
  read(request, body) {
    const headers = headersOf(request);
    if (headers.id === undefined || !isSignedWebhook(secret, headers, body, wallClock.now())) return null;
    return parseHttpCallback(headers.id, jsonIn(body)) ?? 'not understood';
  },
  refusal: 401,
  answer: 204,
});

const headersOf = ({ header }: CallbackRequest): WebhookHeaders => ({
  id: header('webhook-id'),
  timestamp: header('webhook-timestamp'),
  signature: header('webhook-signature'),
});
