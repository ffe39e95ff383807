import type { Log } from '../../src/kit/log.ts';

export interface LogLine {
  level: string;
  fields: Record<string, unknown>;
  message: string;
}

/** A log that appends to `lines`. */
export function recordingLog(lines: LogLine[]): Log {
  const at = (level: string) => (fields: Record<string, unknown>, message: string) => {
    lines.push({ level, fields, message });
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
