import { textAt } from '../../kit/json.ts';
import { fetchJson } from '../api.ts';
import type { ApiDeps } from '../http.ts';
import { type TemplateReviewApi, templateReviewError, type WantedTemplate } from '../templateReviewApi.ts';
import { TWILIO, twilioAnswer, twilioHeaders } from './api.ts';
import { type ContentTemplate, listContent } from './content.ts';
import type { TwilioAccount } from './settings.ts';

const MAX_BYTES = 64 * 1024;

/** Content templates of a Twilio account, which are created first and then submitted to WhatsApp. */
export function twilioTemplates(account: TwilioAccount, deps: ApiDeps): TemplateReviewApi {
  let listed: ContentTemplate[] | null = null;

  const post = async (path: string, body: unknown, signal: AbortSignal): Promise<unknown> => {
    const request = {
      method: 'POST' as const,
      url: `${account.contentUrl}/v1/${path}`,
      headers: { ...twilioHeaders(account), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    const limits = { signal, maxBytes: MAX_BYTES };
    const { body: made, answer } = await fetchJson(TWILIO, deps, request, limits, twilioAnswer);
    if (answer !== null) throw templateReviewError('Twilio', answer, textAt(made, 'message'));
    return made;
  };

  const submit = async ({ name, category }: WantedTemplate, sid: string, signal: AbortSignal) => {
    const review = await post(`Content/${sid}/ApprovalRequests/whatsapp`, { name, category }, signal);
    return textAt(review, 'status') ?? 'received';
  };

  return {
    async find({ name, language }, signal) {
      if (listed === null) {
        const list = await listContent(account, deps, signal);
        if ('answer' in list) throw templateReviewError('Twilio', list.answer);
        listed = list.templates;
      }
      const found = listed.filter((one) => one.name === name && one.language === language);
      // A rejected template can exist beside its replacement.
      const best = found.find(({ status }) => status === 'approved') ?? found[0];
      return best === undefined ? null : { status: best.status, id: best.sid };
    },
    async create(wanted, signal) {
      const made = await post('Content', creation(wanted), signal);
      return submit(wanted, textAt(made, 'sid') ?? '', signal);
    },
    submit,
  };
}

const creation = ({ name, language, body, example }: WantedTemplate) => ({
  friendly_name: name,
  language,
  variables: Object.fromEntries(example.map((value, index) => [String(index + 1), value])),
  types: { 'twilio/text': { body } },
});
