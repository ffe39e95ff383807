import { type Decision, decide } from '../../src/push/decide.ts';
import type { PushRequest } from '../../src/push/request.ts';
import { NOW, type PushStateOptions, pushState, request } from './pushState.ts';

let ids = 0;
export const nextId = () => `id${++ids}`;

/** What is decided of a push that must not be refused. */
export function decided(ask: Partial<PushRequest>, given: PushStateOptions = {}): Decision {
  const { snapshot, business } = pushState(given);
  const verdict = decide(request(ask), business, snapshot, NOW, nextId);
  if (verdict.kind === 'refused') throw verdict.error;
  return verdict.decision;
}

export const sendsOf = (decision: Decision) =>
  decision.sends.map(({ channel, purpose, state }) => `${channel} ${purpose} ${state}`);
