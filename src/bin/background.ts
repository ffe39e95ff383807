import type { Dispatcher } from 'undici';
import { type Config, sandboxOn } from '../config/config.ts';
import { startRetention } from '../db/retention.ts';
import { createNotifier } from '../db/wake.ts';
import { inboxPaths } from '../inbox/paths.ts';
import { unsubscribeTokens } from '../inbox/unsubscribeToken.ts';
import { OperatorError } from '../kit/errors.ts';
import type { DueWork } from '../kit/loop.ts';
import { startOutbox } from '../outbox/outbox.ts';
import type { Providers } from '../providers/provider.ts';
import { createCapture } from '../sandbox/capture.ts';
import { startSandboxReports } from '../sandbox/reports.ts';
import { sandboxProviders } from '../sandbox/sandboxProviders.ts';
import { startWebhooks } from '../webhooks/startWebhooks.ts';
import type { Foundation } from './foundation.ts';

/** What goes on after a request was answered: in this process, or in others that are told of it. */
export interface Background {
  /** Sends were queued. */
  onSends: () => void;
  /** Webhook deliveries were queued. */
  onEvents: () => void;
  /** What the sandbox's clock waits for; none in a process without the worker role. */
  works: readonly DueWork[];
  stop(): Promise<void>;
}

export function startBackground(foundation: Foundation, client: Dispatcher): Background {
  return foundation.config.roles.worker ? startWorkers(foundation, client) : tellWorkers(foundation);
}

function tellWorkers({ pool, log }: Foundation): Background {
  return {
    onSends: createNotifier(pool, 'waypost_outbox', log),
    onEvents: createNotifier(pool, 'waypost_webhooks', log),
    works: [],
    stop: async () => {},
  };
}

function startWorkers(foundation: Foundation, client: Dispatcher): Background {
  const { pool, clock, log, hash, sealer, metrics, publicUrl, config } = foundation;
  const webhooks = startWebhooks({ pool, clock, log, sealer, client, onAttempt: metrics.observeDelivery });
  const onEvents = () => webhooks.wake();
  const reports = sandboxOn(config)
    ? startSandboxReports({ pool, clock, log, hash, onEvents, onSends: () => outbox.wake() })
    : null;
  const outbox = startOutbox({
    pool,
    clock,
    log,
    hash,
    publicUrl,
    onEvents,
    providers: chosenProviders(config, () =>
      sandboxProviders(createCapture(pool, clock, () => reports?.wake())),
    ),
    unsubscribeLink: unsubscribeLinks(foundation),
  });
  const retention = startRetention({ pool, clock, log, onDeleted: metrics.observeDeleted });
  return {
    onSends: () => outbox.wake(),
    onEvents,
    works: [outbox, webhooks, ...(reports ? [reports] : []), retention],
    async stop() {
      await retention.stop();
      await outbox.stop();
      await reports?.stop();
      await webhooks.stop();
    },
  };
}

/** Only the sandbox carries anything yet: a name that would promise more stops the start. */
function chosenProviders(config: Config, sandbox: () => Providers): Providers {
  for (const [channel, name] of Object.entries(config.providers)) {
    if (name === 'sandbox') continue;
    throw new OperatorError(
      `${channel.toUpperCase()}_PROVIDER is ${name}, which this version cannot send through yet: use sandbox.`,
    );
  }
  return sandbox();
}

/** Every mail can be unsubscribed from for as long as someone keeps it, so its link needs no row. */
function unsubscribeLinks({ publicUrl, secretKeys }: Foundation) {
  const [first = '', ...older] = secretKeys;
  const tokens = unsubscribeTokens(first, ...older);
  const paths = inboxPaths(publicUrl);
  return (businessId: string, recipientId: string): string =>
    new URL(paths.unsubscribeByToken(tokens.make(businessId, recipientId)), publicUrl).href;
}
