import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxDeps } from '../http/pages/sandbox/deps.ts';
import type { Site } from '../http/pages/shell/page.tsx';
import { sandboxAccessKey } from '../sandbox/accessKey.ts';
import { advanceClock, readClock } from '../sandbox/clock.ts';
import { personReplies, personTexts } from '../sandbox/inbound.ts';
import { reportBy } from '../sandbox/reports.ts';
import type { Background } from './background.ts';
import type { Foundation } from './foundation.ts';

/** The sandbox's page and calls, connected to the rest of the house. */
export function sandboxDeps(
  foundation: Foundation,
  { onSends, onEvents, works }: Background,
  site: Site,
): SandboxDeps {
  const { pool, clock, log, hash, config, publicUrl, secretKeys } = foundation;
  const heard = { pool, clock, hash, onSends, onEvents };
  return {
    site,
    access: { publicUrl, key: sandboxAccessKey(secretKeys[0] ?? '') },
    pool,
    clock,
    log,
    apiKeyHint: () => demoKey(config.dataDir),
    textInbound: (typed) => personTexts(heard, typed),
    whatsappInbound: (typed) => personReplies(heard, typed),
    report: (report) => reportBy(heard, report),
    advanceClock: (to) => advanceClock({ pool, clock, works }, to),
    clockState: () => readClock({ pool, clock }),
  };
}

/** The demo's key, from the file that the start wrote for whoever owns this machine. */
export function demoKey(dataDir: string): string | null {
  try {
    const demo: unknown = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));
    const key = typeof demo === 'object' && demo !== null && 'api_key' in demo ? demo.api_key : null;
    return typeof key === 'string' ? key : null;
  } catch {
    return null;
  }
}
