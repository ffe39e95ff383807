import { apiProvider } from '../api.ts';
import type { ApiDeps } from '../http.ts';
import type { OutboundWhatsapp, Provider } from '../provider.ts';
import { META, metaAnswer } from './answers.ts';
import type { MetaSettings } from './settings.ts';

/** WhatsApp through Meta's Cloud API. Senders are ids of phone numbers. */
export const metaWhatsapp = (settings: MetaSettings, deps: ApiDeps): Provider<OutboundWhatsapp> =>
  apiProvider(META, deps, {
    maxConcurrent: 20,
    request: (message) => ({
      method: 'POST',
      url: `${settings.apiUrl}/${settings.version}/${encodeURIComponent(message.from ?? settings.phoneNumberId)}/messages`,
      headers: metaHeaders(settings),
      body: JSON.stringify(bodyOf(message)),
    }),
    sort: (answer, { from }) => metaAnswer(answer, from !== null),
  });

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
