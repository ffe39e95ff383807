import { hkdfSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxDeps } from '../http/pages/sandbox/deps.ts';
import type { Site } from '../http/pages/shell/page.tsx';
import { advanceClock, readClock } from '../sandbox/clock.ts';
import { personReplies, personTexts, reportBy } from '../sandbox/reports.ts';
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

const KEY_BYTES = 24;

/**
 * What opens the sandbox from another machine. Derived from the secret key: it stays the same across starts, and every
 * process on the database has the same one.
 */
export const sandboxAccessKey = (secretKey: string): string =>
  Buffer.from(hkdfSync('sha256', secretKey, '', 'waypost sandbox access v1', KEY_BYTES)).toString(
    'base64url',
  );
