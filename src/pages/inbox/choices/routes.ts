import type { FastifyInstance } from 'fastify';
import { sendHtml } from '../../kit/page.tsx';
import { forReader, forReadersForm, type InboxContext } from '../context.ts';
import { confirmChoicePage, sentencePage } from '../notices.tsx';
import type { Reader } from '../reading/reads.ts';
import { readChoices, resumeTexts, stopTexts, stopWhatsapp, unsubscribe } from './actions.ts';
import { choicesPage } from './views.tsx';

/** What a person can choose. A choice that cannot be undone has a confirmation page first. */
export function choiceRoutes(app: FastifyInstance, context: InboxContext): void {
  const { pool, clock, place, onEvents } = context;

  app.get(
    '/inbox/choices',
    forReader(context, async ({ session, site, reply }) => {
      const choices = await readChoices(pool, session);
      if (choices === null) return sendHtml(reply, 403, sentencePage(site, 'noSession'));
      return choicesPage({ site, session, choices });
    }),
  );

  const confirmation = (path: string, choice: 'stopWhatsapp' | 'unsubscribe') =>
    app.get(
      path,
      forReader(context, async ({ session, site }) => confirmChoicePage(site, session, choice)),
    );
  confirmation('/inbox/choices/stop-whatsapp', 'stopWhatsapp');
  confirmation('/inbox/choices/unsubscribe', 'unsubscribe');

  const decision = (path: string, decide: (reader: Reader, now: Date) => Promise<number>) =>
    app.post(
      path,
      forReadersForm(context, async ({ session, reply }) => {
        const deliveries = await decide(session, clock.now());
        if (deliveries > 0) onEvents();
        return reply.redirect(place.paths.choices, 303);
      }),
    );
  decision('/inbox/choices/stop-texts', (reader, now) => stopTexts(context, reader, now));
  decision('/inbox/choices/resume-texts', (reader, now) => resumeTexts(context, reader, now));
  decision('/inbox/choices/stop-whatsapp', (reader, now) => stopWhatsapp(context, reader, now));
  decision('/inbox/choices/unsubscribe', (reader, now) => unsubscribe(context, reader, 'inbox', now));
}
