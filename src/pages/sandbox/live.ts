import { isUnavailable } from '../../db/errors.ts';
import { type ChangeStreams, openChangeStreams } from '../../kit/changeStreams.ts';
import { SECOND } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';

/** An open page of the sandbox. `mark` summarises what it would show now. */
interface SandboxViewer {
  mark(): Promise<string>;
}

/** Says to open pages of the sandbox that something changed on them. */
export type SandboxLive = ChangeStreams<SandboxViewer>;

const POLL_EVERY_MS = SECOND;
const SANDBOX_STREAMS_MAX = 20;

export const openSandboxLive = (log: Log): SandboxLive =>
  openChangeStreams<SandboxViewer>({
    name: 'sandbox',
    log,
    marksOf: async (viewers) =>
      new Map(await Promise.all(viewers.map(async (viewer) => [viewer, await viewer.mark()] as const))),
    isOutage: isUnavailable,
    pollEveryMs: POLL_EVERY_MS,
    quietMsOf: () => 0,
    streamsMax: SANDBOX_STREAMS_MAX,
    perOwnerMax: SANDBOX_STREAMS_MAX,
    // Everybody who enters the sandbox sees the same.
    ownerOf: () => '',
    businessOf: () => '',
  });
