import { type Clock, SECOND } from '../../kit/clock.ts';
import { apiProvider, callApi } from '../api.ts';
import { type ApiDeps, HTTP_CALL_MS, type HttpRequest } from '../http.ts';
import type { Outbound, OutboundText, OutboundWhatsapp, Provider, ProviderResponse } from '../provider.ts';
import { responseFor, templateRefused } from '../verdicts.ts';
import { TWILIO, TWILIO_REFERENCE, twilioAnswer, twilioHeaders } from './api.ts';
import { type ContentDirectory, contentDirectory } from './content.ts';
import type { TwilioAccount, TwilioSmsSettings, TwilioWhatsappSettings } from './settings.ts';

interface TwilioDeps extends ApiDeps {
  /** Where Twilio sends callbacks. */
  callbackUrl: string;
}

const MAX_CONCURRENT = 20;

/** Texts through Twilio, from a Messaging Service, a number or a name. */
export const sendTwilioSms = ({ account, sender }: TwilioSmsSettings, deps: TwilioDeps) =>
  apiProvider<OutboundText>(TWILIO, deps, {
    maxConcurrent: MAX_CONCURRENT,
    request: (message) => {
      const fields = { To: message.to, ...senderFields(message.from ?? sender), Body: message.text };
      return creation(account, deps, message, fields);
    },
    sort: (answer, { from }) => twilioAnswer(answer, from !== null),
  });

const senderFields = (sender: string): Record<string, string> =>
  /^MG[0-9a-f]{32}$/i.test(sender) ? { MessagingServiceSid: sender } : { From: sender };

/** WhatsApp through Twilio: content templates by name, and free text in answer to a reply. */
export function sendTwilioWhatsapp(
  { account, sender }: TwilioWhatsappSettings,
  deps: TwilioDeps & { clock: Clock },
): Provider<OutboundWhatsapp> {
  const directory = contentDirectory(account, deps);
  return {
    name: 'twilio',
    maxConcurrent: MAX_CONCURRENT,
    // Finding a template may need a call of its own.
    timeoutMs: 2 * (deps.callMs ?? HTTP_CALL_MS) + SECOND,
    async send(message, signal) {
      const content = await contentOf(message, directory, signal);
      if ('answer' in content) return content.answer;
      const from = `whatsapp:${message.from ?? sender}`;
      const fields = { To: `whatsapp:${message.to}`, From: from, ...content.fields };
      const answer = await callApi(
        TWILIO,
        deps,
        creation(account, deps, message, fields),
        signal,
        (response) => twilioAnswer(response, message.from !== null),
      );
      if ('because' in answer && answer.because === 'template') directory.forget();
      return answer;
    },
  };
}

type Content = { fields: Record<string, string> } | { answer: ProviderResponse };

async function contentOf(
  message: OutboundWhatsapp,
  directory: ContentDirectory,
  signal: AbortSignal,
): Promise<Content> {
  const { template, text } = message;
  if (template === null) return { fields: { Body: text } };
  const found = await directory.find(template.name, template.language, signal);
  if ('answer' in found) return { answer: nothingSent(found.answer) };
  if (found.sid === null) return { answer: missing(template.name) };
  const variables = Object.fromEntries(template.parameters.map((value, index) => [String(index + 1), value]));
  return { fields: { ContentSid: found.sid, ContentVariables: JSON.stringify(variables) } };
}

/** The message itself was not sent, whatever the result of the template lookup. */
const nothingSent = (answer: ProviderResponse): ProviderResponse =>
  answer.outcome === 'unknown' || answer.outcome === 'accepted'
    ? { outcome: 'not_taken', errorCode: 'template_lookup_failed' }
    : answer;

const missing = (name: string): ProviderResponse =>
  responseFor(templateRefused(`Twilio has no approved content template ${name}`), 'template_missing');

/**
 * The request that creates a message; the resource expects a form. The callback URL holds our reference, so that a callback finds its send even
 * if the response was lost.
 */
function creation(
  account: TwilioAccount,
  { callbackUrl }: TwilioDeps,
  { reference }: Outbound,
  fields: Record<string, string>,
): HttpRequest {
  const StatusCallback = `${callbackUrl}?${TWILIO_REFERENCE}=${encodeURIComponent(reference)}`;
  return {
    method: 'POST',
    url: `${account.apiUrl}/2010-04-01/Accounts/${account.accountSid}/Messages.json`,
    headers: { ...twilioHeaders(account), 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...fields, StatusCallback }).toString(),
  };
}
