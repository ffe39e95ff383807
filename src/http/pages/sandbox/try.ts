import { randomInt } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { PushPreview } from '../../../contract/preview.ts';
import { ApiError } from '../../../kit/errors.ts';
import { randomText } from '../../../kit/ids.ts';
import { parseQuery } from '../../validation/urlText.ts';
import { sendPage } from '../shell/page.tsx';
import { queryOf } from './api.ts';
import type { SandboxDeps } from './deps.ts';
import { redirectAfter } from './location.ts';
import { previewPage } from './preview.tsx';

/** A push with something to watch. */
export interface Scenario {
  name: string;
  label: string;
  watch: string;
  push: Record<string, unknown>;
}

const order = (reference: string) => ({
  recipient_email: 'ann@example.com',
  recipient_phone: '+37255550134',
  subject: `Your order ${reference} has shipped`,
  body: 'It left our warehouse this morning. Track it: https://carrier.example/1001',
  reference,
  order_status: 'shipped',
});

/** The person whose phone accepts everything and never reports back. */
const silent = { recipient_email: 'sam@example.com', recipient_phone: '+447700909004' };

export const scenariosOf = (reference: string): readonly Scenario[] => [
  {
    name: 'email',
    label: 'An email',
    watch: 'Open its link: the event message.opened follows.',
    push: order(reference),
  },
  {
    name: 'text',
    label: 'An email and a text',
    watch: 'Reply STOP on the phone, then push again: the text is skipped.',
    push: { ...order(reference), channels: ['sms'] },
  },
  {
    name: 'unread',
    label: 'A text only if unread',
    watch: 'It waits ten minutes: move the clock, and it goes. Open the link first, and it does not.',
    push: { ...order(reference), channels: ['sms'], escalate_if_unread_after_minutes: 10 },
  },
  {
    name: 'fallback',
    label: 'WhatsApp, else a text',
    watch: 'Sam’s phone never reports: five minutes later the text goes instead.',
    push: {
      ...order(reference),
      ...silent,
      channels: ['whatsapp'],
      whatsapp_opt_in: { source: 'checkout' },
      sms_if_whatsapp_fails: true,
    },
  },
  {
    name: 'bounce',
    label: 'An address that bounces',
    watch: 'The event message.bounced follows, and the address is suppressed.',
    push: { ...order(reference), recipient_email: 'bounce@example.com', recipient_phone: null },
  },
];

/** Pushes and previews through the API, with the same key as a developer's own program. */
export function tryRoutes(app: FastifyInstance, { site, apiKeyHint }: SandboxDeps): void {
  const call = (path: string, scenario: Scenario, headers: Record<string, string> = {}) => {
    const key = apiKeyHint?.() ?? null;
    if (key === null) throw new ApiError('common.not_found');
    return app.inject({
      method: 'POST',
      url: `/api/v1/messages${path}`,
      headers: { authorization: `Bearer ${key}`, ...headers },
      payload: scenario.push,
    });
  };

  app.post('/sandbox/try', async (request, reply) => {
    const form = Buffer.isBuffer(request.body) ? parseQuery(request.body.toString('utf8')) : {};
    const scenario = scenarioNamed(form.scenario, `#${randomInt(1_000, 10_000)}`);
    const answer = await call('', scenario, { 'idempotency-key': randomText(20) });
    // The API's error body is already in the right shape.
    if (answer.statusCode !== 201)
      return reply.code(answer.statusCode).type('application/json; charset=utf-8').send(answer.payload);
    return redirectAfter(reply, site, '/sandbox', 'pushed');
  });

  app.get('/sandbox/preview', async (request, reply) => {
    const scenario = scenarioNamed(parseQuery(queryOf(request.url)).scenario, '#1001');
    const answer = await call('/preview', scenario);
    if (answer.statusCode !== 200)
      return reply.code(answer.statusCode).type('application/json; charset=utf-8').send(answer.payload);
    return sendPage(reply, 200, previewPage({ site, scenario, preview: answer.json<PushPreview>() }));
  });
}

function scenarioNamed(name: string | undefined, reference: string): Scenario {
  const scenario = scenariosOf(reference).find((one) => one.name === name);
  if (scenario === undefined) throw new ApiError('common.not_found');
  return scenario;
}
