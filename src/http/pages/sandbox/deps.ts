import type { ReportStatus } from '../../../callbacks/afterReport.ts';
import type { Pool } from '../../../db/pool.ts';
import type { Clock } from '../../../kit/clock.ts';
import type { Log } from '../../../kit/log.ts';
import type { Typed } from '../../../sandbox/reports.ts';
import type { Site } from '../shell/page.tsx';
import type { SandboxAccess } from './guard.ts';

/** What the sandbox's page and calls stand on. */
export interface SandboxDeps {
  site: Site;
  access: SandboxAccess;
  pool: Pool;
  clock: Clock;
  log: Log;
  /** A key that may be shown to whoever looks, because it opens the demo business alone; null where there is none. */
  apiKeyHint?: () => string | null;
  /** Both answer false when there is no such business. */
  textInbound(typed: Typed): Promise<boolean>;
  whatsappInbound(typed: Typed): Promise<boolean>;
  /** Answers whether the provider knows such a message. */
  report(report: TypedReport): Promise<boolean>;
  /** Answers the time it is then, once nothing due is left. */
  advanceClock(to: Date): Promise<Date>;
  clockState(): Promise<ClockState>;
}

export interface TypedReport {
  providerId: string;
  status: ReportStatus;
  errorCode: string | null;
}

export interface ClockState {
  now: Date;
  /** How far it was put forward. */
  offsetSeconds: number;
}
