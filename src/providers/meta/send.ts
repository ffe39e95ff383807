import type { MetaSettings } from '../../config/providersPaid.ts';
import { SECOND } from '../../kit/clock.ts';
import { type ApiDeps, answerFrom, exchange, HTTP_CALL_MS } from '../http.ts';
import type { OutboundWhatsapp, Provider } from '../provider.ts';
import { META, metaAnswer } from './answers.ts';

const MAX_CONCURRENT = 20;

/** WhatsApp through Meta's Cloud API. Senders are ids of phone numbers. */
export function metaWhatsapp(
  settings: MetaSettings,
  { client, callMs = HTTP_CALL_MS }: ApiDeps,
): Provider<OutboundWhatsapp> {
  return {
    name: 'meta',
    maxConcurrent: MAX_CONCURRENT,
    timeoutMs: callMs + SECOND,
    async send(message, signal) {
      const sender = message.from ?? settings.phoneNumberId;
      const request = {
        method: 'POST' as const,
        url: `${settings.apiUrl}/${settings.version}/${encodeURIComponent(sender)}/messages`,
        headers: metaHeaders(settings),
        body: JSON.stringify(bodyOf(message)),
      };
      const result = await exchange(client, request, { signal, timeoutMs: callMs });
      return answerFrom(META, result, (answer) => metaAnswer(answer, message.from !== null));
    },
  };
}

export const metaHeaders = ({ accessToken }: MetaSettings): Record<string, string> => ({
  authorization: `Bearer ${accessToken}`,
  'content-type': 'application/json',
});

const bodyOf = (message: OutboundWhatsapp) => ({
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  // WhatsApp ids have no plus.
  to: message.to.replace(/^\+/, ''),
  ...contentOf(message),
  biz_opaque_callback_data: message.reference,
});

function contentOf({ template, text }: OutboundWhatsapp) {
  if (template === null) return { type: 'text', text: { body: text, preview_url: false } };
  const parameters = template.parameters.map((value) => ({ type: 'text', text: value }));
  return {
    type: 'template',
    template: {
      name: template.name,
      language: { code: template.language },
      components: [{ type: 'body', parameters }],
    },
  };
}
