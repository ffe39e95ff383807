import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { textAt } from '../kit/json.ts';
import { demoSignInToken } from '../members/demoLink.ts';
import type { Site } from '../pages/kit/page.tsx';
import type { SandboxDeps } from '../pages/sandbox/deps.ts';
import { carrierReports } from '../sandbox/carrier.ts';
import { advanceClock, readClock } from '../sandbox/clock.ts';
import { personOpens } from '../sandbox/opening.ts';
import { personReplies, personTexts, reportBy } from '../sandbox/reports.ts';
import type { Tracking } from '../tracking/tracking.ts';
import type { Background } from './background.ts';
import type { Foundation } from './foundation.ts';
import { sandboxAccessKey } from './listening.ts';

export function sandboxDeps(
  foundation: Foundation,
  { onSends, onEvents, works, tracking }: Background & { tracking: Tracking },
  site: Site,
): SandboxDeps {
  const { pool, clock, log, hash, config, publicUrl, secretKeys, siblings } = foundation;
  const callbackDeps = { pool, clock, hash, onSends, onEvents };
  return {
    site,
    access: { publicUrl, key: sandboxAccessKey(secretKeys[0] ?? '') },
    pool,
    clock,
    log,
    apiKeyHint: () => demoKey(config.dataDir),
    textInbound: (typed) => personTexts(callbackDeps, typed),
    whatsappInbound: (typed) => personReplies(callbackDeps, typed),
    open: (messageId) => personOpens({ pool, clock, onEvents }, messageId),
    report: (report) => reportBy(callbackDeps, report),
    reportTracking: (report) => carrierReports({ pool, clock, tracking }, report),
    async advanceClock(to) {
      const now = await advanceClock({ pool, clock, works }, to);
      // The next request may reach another process, whose clock would be behind for some seconds.
      await siblings?.syncClocks();
      return now;
    },
    demoSignInToken: () => demoSignInToken(pool, clock.now()),
    clockState: () => readClock({ pool, clock }),
  };
}

/** The demo's API key, from the file that the start writes for this machine's owner. */
function demoKey(dataDir: string): string | null {
  try {
    return textAt(JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')), 'api_key');
  } catch {
    return null;
  }
}
