import { OPERATOR } from '../businesses/audit.ts';
import { ORDER_STATUSES } from '../contract/orderStatuses.ts';
import { SECOND } from '../kit/clock.ts';
import { oneOf } from '../kit/typedValues.ts';
import { DEFAULT_LANGUAGE, LANGUAGES } from '../language/languages.ts';
import type { ReviewedTemplate } from '../templates/reviews.ts';
import { changeTemplateState, TEMPLATE_STATES } from '../templates/templates.ts';
import { command, flag, requiredFlag } from './command.ts';
import { factsReport, listReport } from './layout.ts';

const templateSet = command({
  path: 'template set',
  about: 'Sets whether the WhatsApp template of an order status is approved for sending',
  flags: {
    status: requiredFlag('ORDER_STATUS', ORDER_STATUSES.join('|'), oneOf(ORDER_STATUSES)),
    state: requiredFlag('STATE', TEMPLATE_STATES.join('|'), oneOf(TEMPLATE_STATES)),
    language: flag('TAG', `${LANGUAGES.join('|')}; default ${DEFAULT_LANGUAGE}`, oneOf(LANGUAGES)),
  },
  async run({ status, state, language }, cli) {
    const named = language === undefined ? {} : { language };
    await changeTemplateState(await cli.open(), { status, ...named, state, actor: OPERATOR });
    return factsReport({ order_status: status, state, ...named });
  },
});

/** Of one language. */
const WITHIN_MS = 120 * SECOND;

const templateSync = command({
  path: 'template sync',
  about: 'Submits the missing WhatsApp templates of a language and reads the review status of all of them',
  flags: {
    language: flag(
      'TAG',
      `${LANGUAGES.join('|')}|all; default ${DEFAULT_LANGUAGE}`,
      oneOf([...LANGUAGES, 'all']),
    ),
  },
  async run({ language: chosen = DEFAULT_LANGUAGE }, cli) {
    const languages = chosen === 'all' ? LANGUAGES : [chosen];
    const { whatsapp } = cli.config.providerSettings;
    // Loaded here: no other command needs the clients of the providers.
    const { noTemplateReviews, reviewApiOf, syncTemplates } = await import('../templates/reviews.ts');
    const { createHttpClient } = await import('../providers/http.ts');
    const client = createHttpClient();
    try {
      const reviewApi = reviewApiOf(whatsapp, client);
      if (reviewApi === null) throw noTemplateReviews(cli.config.providers.whatsapp);
      const deps = await cli.open();
      const reviewed: ReviewedTemplate[] = [];
      for (const language of languages) {
        const signal = AbortSignal.timeout(WITHIN_MS);
        reviewed.push(...(await syncTemplates(deps, reviewApi, { language, actor: OPERATOR, signal })));
      }
      const items = reviewed.map(({ language, ...item }) => ({ ...item, language }));
      return listReport(['order status', 'template', 'review', 'state', 'action', 'language'], items, '');
    } finally {
      await client.destroy();
    }
  },
});

export const templateCommands = [templateSet, templateSync];
