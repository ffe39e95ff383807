import { randomInt } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { sendPage } from '../../api/sendPage.ts';
import { parseQuery } from '../../api/validation/urlText.ts';
import type { PushPreview } from '../../contract/push.ts';
import { ApiError } from '../../kit/errors.ts';
import { randomText } from '../../kit/ids.ts';
import { queryOf } from '../kit/request.ts';
import type { SandboxDeps } from './deps.ts';
import { redirectAfter, sandboxLocationOf } from './location.ts';
import { previewPage } from './preview.tsx';
import { type Scenario, scenarioNamed } from './scenarios.ts';

/** Pushes and previews through the API, with the same key as a developer's own program. */
export function tryRoutes(app: FastifyInstance, { site, clock, apiKeyHint }: SandboxDeps): void {
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
    const scenario = scenarioNamed(form.scenario, `#${randomInt(1_000, 10_000)}`, clock.now());
    const answer = await call('', scenario, { 'idempotency-key': randomText(20) });
    // The API's error body is already in the right shape.
    if (answer.statusCode !== 201)
      return reply.code(answer.statusCode).type('application/json; charset=utf-8').send(answer.payload);
    return redirectAfter(reply, site, sandboxLocationOf('/sandbox'), 'pushed');
  });

  app.get('/sandbox/preview', async (request, reply) => {
    const scenario = scenarioNamed(queryOf(request).scenario, '#1001', clock.now());
    const answer = await call('/preview', scenario);
    if (answer.statusCode !== 200)
      return reply.code(answer.statusCode).type('application/json; charset=utf-8').send(answer.payload);
    return sendPage(reply, 200, previewPage(site, scenario, answer.json<PushPreview>()));
  });
}
