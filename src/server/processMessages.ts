import type { ChildProcess } from 'node:child_process';
import type { MetricsSnapshot } from '../api/openMetrics.ts';
import type { Roles } from '../config/connections.ts';
import { at } from '../kit/json.ts';

/** What a process gets from its supervisor, beside the environment. */
export interface Assignment {
  name: string;
  roles: Roles;
  databaseUrl: string;
  secretKeys: readonly string[];
  publicUrl: string;
  /** Whether the supervisor passes connections to it. */
  serves: boolean;
}

/** A question that one process asks, and every process answers: for its metrics, or to read the sandbox's clock again. */
export type Question = 'metrics' | 'open_metrics' | 'clock';

export type ToProcess =
  | { kind: 'start'; assignment: Assignment }
  | { kind: 'stop' }
  /** With a connection, unless it has closed meanwhile. */
  | { kind: 'connection' }
  | { kind: 'question'; id: number; question: Question }
  | { kind: 'result'; id: number; text: string };

export type ToSupervisor =
  /** From now on it receives messages; earlier ones are lost. */
  | { kind: 'listening' }
  | { kind: 'ready' }
  /** It has the connection that it was passed, and can be passed the next one. */
  | { kind: 'taken' }
  /** It is to be passed no more connections. */
  | { kind: 'stopping' }
  /** The sentence is for the operator. */
  | { kind: 'failed'; sentence: string }
  | { kind: 'question'; id: number; question: Question }
  | { kind: 'answer'; id: number; metrics: MetricsSnapshot | null };

/** Both sides are this program, in one version: the kind says enough. */
export const isToProcess = (message: unknown): message is ToProcess =>
  hasKind(message, ['start', 'stop', 'connection', 'question', 'result']);

export const isToSupervisor = (message: unknown): message is ToSupervisor =>
  hasKind(message, ['listening', 'ready', 'taken', 'stopping', 'failed', 'question', 'answer']);

const hasKind = (message: unknown, kinds: readonly unknown[]): boolean => kinds.includes(at(message, 'kind'));

/** A process that ends meanwhile gets no message; its exit is handled anyway. */
export function sendTo(child: ChildProcess, message: ToProcess): void {
  if (child.connected) child.send(message, () => {});
}
