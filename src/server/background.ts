import type { Dispatcher } from 'undici';
import { startDomainChecks } from '../businesses/domains/check.ts';
import type { Pool } from '../db/pool.ts';
import { createNotifier } from '../db/wake.ts';
import { sandboxOn } from '../environment/config.ts';
import { unsubscribeTokens } from '../kit/idToken.ts';
import type { DueWork } from '../kit/loop.ts';
import { changesDue, startProjector } from '../orders/projector.ts';
import { watched } from '../outbox/dueWorks.ts';
import { startOutbox, watchOutbox } from '../outbox/outbox.ts';
import { ReportWatch } from '../outbox/reportWatch.ts';
import { inboxPaths } from '../pages/inbox/paths.ts';
import { startRetention } from '../retention/retention.ts';
import { createCapture } from '../sandbox/capture.ts';
import { startSandboxReports, watchSandboxReports } from '../sandbox/reports.ts';
import { sandboxProviders } from '../sandbox/sandboxProviders.ts';
import { startIndexer } from '../search/indexer.ts';
import { deliveriesDue, startWebhooks } from '../webhooks/startWebhooks.ts';
import { startBounceReading } from './bounces.ts';
import type { Foundation } from './foundation.ts';
import { openProviders } from './providers.ts';

/** The work after a response: in this process, or in the worker processes that this one notifies. */
export interface Background {
  /** Sends were queued. */
  onSends: () => void;
  /** Sends of these businesses were queued. */
  onSendsOf: (businesses: readonly string[]) => void;
  onEvents: () => void;
  /** The due work that a move of the sandbox's clock waits for, of this process or of the ones it notifies. */
  works: readonly DueWork[];
  stop(): Promise<void>;
}

type WatchPool = (name: string, pool: Pool) => void;

export const startBackground = (
  foundation: Foundation,
  client: Dispatcher,
  watchPool: WatchPool,
): Background =>
  foundation.config.roles.worker ? startWorkers(foundation, client, watchPool) : notifyWorkers(foundation);

function notifyWorkers({ pool, clock, log, config }: Foundation): Background {
  const onSends = createNotifier(pool, 'waypost_outbox', log);
  const watching = { pool, clock };
  return {
    onSends,
    onSendsOf: () => onSends(),
    onEvents: createNotifier(pool, 'waypost_webhooks', log),
    works: sandboxOn(config)
      ? [
          watchOutbox(watching, onSends),
          // `onSends`, since only that makes a worker read the clock again.
          watched({ clock, ...deliveriesDue(pool) }, onSends),
          watchSandboxReports(watching, onSends),
          watched({ clock, ...changesDue(pool) }, onSends),
        ]
      : [],
    stop: async () => {},
  };
}

function startWorkers(foundation: Foundation, client: Dispatcher, watchPool: WatchPool): Background {
  const { pool, clock, metrics, config } = foundation;
  const { email } = config.providerSettings;
  const webhooks = startWebhooks({
    ...foundation,
    client,
    connections: foundation.connections.webhooks,
    onAttempt: metrics.observeDelivery,
    onDisabled: metrics.observeEndpointDisabled,
    onPool: (own) => watchPool('webhooks', own),
  });
  const onEvents = () => webhooks.wake();
  const onSends = () => outbox.wake();
  const onReport = metrics.observeReport;
  const reports = sandboxOn(config)
    ? startSandboxReports({ ...foundation, onEvents, onSends, onReport })
    : null;
  const capture = createCapture(pool, clock, (due) => reports?.plan(due));
  const providerSet = openProviders(foundation, sandboxProviders(capture));
  const reportWatch = new ReportWatch({ ...foundation, divided: providerSet.divided });
  const outbox = startOutbox({
    ...foundation,
    onEnded: (ended) => reportWatch.note(ended),
    sharedEmailSender: email[0]?.from ?? null,
    onEvents,
    providers: providerSet.providers,
    onSkipped: metrics.observeSkipped,
    ...mailLinks(foundation),
    resync: async () => {
      await clock.sync();
      reports?.wake();
      webhooks.wake();
    },
  });
  const indexer = startIndexer(foundation);
  const projector = startProjector({ ...foundation, onEvents });
  const domainChecks = startDomainChecks(foundation);
  const retention = startRetention({ ...foundation, onDeleted: metrics.observeDeleted });
  const bounces = startBounceReading(foundation, { onSends, onEvents });
  return {
    onSends,
    onSendsOf: (businesses) => {
      outbox.wakeFor(businesses);
      projector.wake();
    },
    onEvents,
    works: [outbox, projector, webhooks, ...(reports ? [reports] : []), retention],
    async stop() {
      // In parallel: each has the same time to finish.
      const loops = [
        outbox,
        projector,
        webhooks,
        reports,
        retention,
        indexer,
        reportWatch,
        bounces,
        domainChecks,
      ];
      await Promise.all(loops.map((loop) => loop?.stop()));
      providerSet.close();
    },
  };
}

/** Links in mails never expire and need no row: they must work for as long as someone keeps the mail. */
function mailLinks({ publicUrl, secretKeys, hash }: Foundation) {
  const [first = '', ...older] = secretKeys;
  const paths = inboxPaths(publicUrl);
  const unsubscribing = unsubscribeTokens(first, ...older);
  const absolute = (path: string): string => new URL(path, publicUrl).href;
  return {
    unsubscribeLink: (businessId: string, recipientId: string, email: string) =>
      absolute(paths.unsubscribeByToken(unsubscribing.make(businessId, recipientId, hash('email', email)))),
    // No secret in it: the contact signs in to read the reply.
    replyLink: (businessId: string, replyId: string) => absolute(paths.reply(businessId, replyId)),
  };
}
