import { SECOND } from '../kit/clock.ts';

const MiB = 1024 * 1024;

/**
 * The limits of one process: time, connections, requests and memory. Tests use shorter times and smaller
 * capacities.
 */
export interface HttpLimits {
  /** The headers must arrive within this, and the whole request within `requestMs`. */
  headMs: number;
  requestMs: number;
  /** How often the times are checked. Node's default of 30 s would add that to each of them. */
  checkEveryMs: number;
  keepAliveMs: number;
  /** A connection without traffic for this long is dead, or its peer does not read. Live pages send more often. */
  silenceMs: number;
  /** From the end of our side, after a timeout or a malformed request, until the connection is destroyed. */
  lingerMs: number;
  /** How long, and how many bytes of, the body of an already answered request are read and discarded. */
  drainMs: number;
  drainBytes: number;
  /** How long the last part of a response can wait for a caller that does not read it. */
  unreadAnswerMs: number;
  connections: number;
  /** Per IPv4 address or IPv6 /64. Trusted proxies are exempt. */
  connectionsPerAddress: number;
  /** API requests in progress. One business alone gets half of them. */
  requests: number;
  /** Bodies and responses are held whole: this is their total. One business alone gets half of it. */
  bodyBytes: number;
  /**
   * How fast one tenant's large bodies are read, and all discarded bodies together. Every byte becomes garbage
   * for the collector, whose pauses delay every other tenant (measured).
   */
  bytesPerSecond: number;
  bytesAtOnce: number;
}

export const HTTP_LIMITS: HttpLimits = {
  headMs: 10 * SECOND,
  requestMs: 30 * SECOND,
  checkEveryMs: SECOND,
  keepAliveMs: 65 * SECOND,
  silenceMs: 300 * SECOND,
  lingerMs: 5 * SECOND,
  drainMs: 15 * SECOND,
  drainBytes: 16 * MiB,
  unreadAnswerMs: 30 * SECOND,
  connections: 10_000,
  connectionsPerAddress: 1_000,
  requests: 5_000,
  bodyBytes: 256 * MiB,
  bytesPerSecond: 2 * MiB,
  bytesAtOnce: MiB,
};
