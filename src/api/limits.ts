import { SECOND } from '../kit/clock.ts';

const MiB = 1024 * 1024;

/**
 * The limits of one process: time, connections, requests and memory. Tests use shorter times and smaller
 * capacities.
 */
export const HTTP_LIMITS = {
  /** The headers must arrive within this, and the whole request within `requestMs`. */
  headMs: 10 * SECOND,
  requestMs: 30 * SECOND,
  /** How often the times are checked. Node's default of 30 s would add that to each of them. */
  checkEveryMs: SECOND,
  keepAliveMs: 65 * SECOND,
  /** A connection without traffic for this long is dead, or its peer does not read. Live pages send more often. */
  silenceMs: 300 * SECOND,
  /** From the end of our side, after a timeout or a malformed request, until the connection is destroyed. */
  lingerMs: 5 * SECOND,
  /** How long, and how many bytes of, the body of an already answered request are read and discarded. */
  drainMs: 15 * SECOND,
  drainBytes: 16 * MiB,
  /** How long the last part of a response can wait for a caller that does not read it. */
  unreadAnswerMs: 30 * SECOND,
  connections: 10_000,
  /** Per IPv4 address or IPv6 /64. Trusted proxies are exempt. */
  connectionsPerAddress: 1_000,
  /** API requests in progress. One business alone gets half of them. */
  requests: 5_000,
  /** Bodies and responses are held whole: this is their total. One business alone gets half of it. */
  bodyBytes: 256 * MiB,
  /**
   * How fast one tenant's large bodies are read, and all discarded bodies together. Every byte becomes garbage
   * for the collector, whose pauses delay every other tenant (measured).
   */
  bytesPerSecond: 2 * MiB,
  bytesAtOnce: MiB,
};

export type HttpLimits = typeof HTTP_LIMITS;
