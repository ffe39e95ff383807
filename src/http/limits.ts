import { SECOND } from '../kit/clock.ts';

const MiB = 1024 * 1024;

/** What one process gives its callers: time, connections, requests and memory. Tests pass shorter times and smaller capacities. */
export interface HttpLimits {
  /** The head of a request must have arrived within this, and the whole request within `requestMs`. */
  headMs: number;
  requestMs: number;
  /** How often the times are checked. Node's own 30 s would make both of them a minute. */
  checkEveryMs: number;
  keepAliveMs: number;
  /** Nothing in or out for so long: the other side is gone, or does not read its answer. Live pages speak more often. */
  silenceMs: number;
  /** From the end of our side, after a timeout or a malformed request, until the connection is destroyed. */
  lingerMs: number;
  /** How long, and how much of, the body of a request that is already answered is read and discarded. */
  drainMs: number;
  drainBytes: number;
  /** How long the last part of an answer may wait for a caller that does not read it. */
  unreadAnswerMs: number;
  connections: number;
  /** From one IPv4 address or one IPv6 network of 64 bits. Trusted proxies are exempt. */
  connectionsPerAddress: number;
  /** Requests of the interface in progress. One business alone gets half of them. */
  requests: number;
  /** Bodies and answers are held whole: together they may take this much. One business alone gets half of it. */
  bodyBytes: number;
  /**
   * How fast large bodies of one tenant are read, and discarded bodies, all together. Every byte becomes garbage for the collector,
   * whose pauses delay every other tenant (measured).
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
