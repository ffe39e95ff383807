import { OPERATOR } from '../businesses/audit.ts';
import { SECOND } from '../kit/clock.ts';
import { oneOf } from '../kit/typedValues.ts';
import { DEFAULT_LANGUAGE, LANGUAGES } from '../language/languages.ts';
import { ORDER_STATUSES } from '../nudges/orderStatus.ts';
import type { ReviewedTemplate } from '../templates/reviews.ts';
import { changeTemplateState, TEMPLATE_STATES } from '../templates/templates.ts';
import { command } from './command.ts';
import { facts, table } from './layout.ts';

const templateSet = command({
  path: 'template set',
  about: 'Sets whether the WhatsApp template of an order status is approved for sending',
  arguments: {},
  flags: {
    status: { value: 'ORDER_STATUS', about: ORDER_STATUSES.join('|'), required: true },
    state: { value: 'STATE', about: TEMPLATE_STATES.join('|'), required: true },
    language: { value: 'TAG', about: `${LANGUAGES.join('|')}; default ${DEFAULT_LANGUAGE}` },
  },
  async run(input, cli) {
    const status = input.required('status', oneOf(ORDER_STATUSES));
    const state = input.required('state', oneOf(TEMPLATE_STATES));
    const language = input.flag('language', oneOf(LANGUAGES));
    await changeTemplateState(await cli.open(), {
      status,
      ...(language === undefined ? {} : { language }),
      state,
      actor: OPERATOR,
    });
    const json = { order_status: status, state, ...(language === undefined ? {} : { language }) };
    return { json, text: facts(Object.entries(json)) };
  },
});

/** Of one language. */
const WITHIN_MS = 120 * SECOND;

const templateSync = command({
  path: 'template sync',
  about: 'Submits the missing WhatsApp templates of a language and reads the review status of all of them',
  arguments: {},
  flags: {
    language: { value: 'TAG', about: `${LANGUAGES.join('|')}|all; default ${DEFAULT_LANGUAGE}` },
  },
  async run(input, cli) {
    const asked = input.flag('language', oneOf([...LANGUAGES, 'all']));
    const languages = asked === 'all' ? LANGUAGES : [asked ?? DEFAULT_LANGUAGE];
    const { whatsapp } = cli.config.providerSettings;
    // Loaded here: no other command needs the clients of the providers.
    const { noTemplateReviews, reviewApiOf, syncTemplates } = await import('../templates/reviews.ts');
    const { createHttpClient } = await import('../providers/http.ts');
    const client = createHttpClient();
    try {
      const reviewApi = reviewApiOf(whatsapp, client);
      if (reviewApi === null) throw noTemplateReviews();
      const deps = await cli.open();
      const reviewed: ReviewedTemplate[] = [];
      for (const language of languages) {
        const signal = AbortSignal.timeout(WITHIN_MS);
        reviewed.push(...(await syncTemplates(deps, reviewApi, { language, actor: OPERATOR, signal })));
      }
      const items = reviewed.map(({ language, ...item }) => ({ ...item, language }));
      return {
        json: { items },
        text: table(
          ['order status', 'template', 'review', 'state', 'action', 'language'],
          items.map((item) => Object.values(item)),
          '',
        ),
      };
    } finally {
      await client.destroy();
    }
  },
});

export const templateCommands = [templateSet, templateSync];
