import { readdirSync, readFileSync } from 'node:fs';

/** What Linux's /proc says of a process. Times are in ticks. */
export interface ProcessStat {
  pid: number;
  parent: number;
  ticks: number;
  /** Of exited children. */
  childTicks: number;
  pages: number;
}

/** The process and its children; none that has ended. */
export function familyOf(pid: number): ProcessStat[] {
  const others = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== String(pid));
  const children = others.flatMap((name) => statOf(Number(name))).filter(({ parent }) => parent === pid);
  return [...statOf(pid), ...children];
}

/** Their numbers, the process first. */
export const processFamily = (pid: number): number[] => familyOf(pid).map((one) => one.pid);

export const parentOf = (pid: number): number => statOf(pid)[0]?.parent ?? 0;

function statOf(pid: number): ProcessStat[] {
  const text = readIfThere(`/proc/${pid}/stat`);
  if (text === null) return [];
  // The name, in brackets, may contain anything; field 3 follows the last bracket.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  const [ticks, childTicks] = [field(14) + field(15), field(16) + field(17)];
  return [{ pid, parent: field(4), ticks, childTicks, pages: field(24) }];
}

export function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      if (pid > 0) process.kill(pid, signal);
    } catch {
      // It has ended already.
    }
  }
}
