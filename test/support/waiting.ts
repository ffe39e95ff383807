import { setTimeout as sleep } from 'node:timers/promises';

const WITHIN_MS = 60_000;
const EVERY_MS = 50;

/** Tries until it passes; fails with its last error. Never a fixed pause: the machine may be busy. */
export async function eventually<T>(attempt: () => T | Promise<T>, withinMs = WITHIN_MS): Promise<T> {
  const began = performance.now();
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() - began > withinMs) throw error;
      await sleep(EVERY_MS);
    }
  }
}

export interface CapturedMessage {
  id: string;
  channel: string;
  to: string;
  business_id: string;
  message_id: string;
  subject: string | null;
  text: string;
  html: string | null;
  headers: Record<string, string>;
  template: unknown;
  provider_id: string;
  at: string;
  outcome: string;
}

/** What the sandbox captured, newest first. */
export async function capturedMessages(
  url: string,
  filter: { channel?: string; to?: string } = {},
): Promise<CapturedMessage[]> {
  const response = await fetch(`${url}/sandbox/outbox.json?${new URLSearchParams(filter)}`);
  if (response.status !== 200) throw new Error(`the sandbox answered ${response.status}`);
  const { items }: { items: CapturedMessage[] } = JSON.parse(await response.text());
  return items;
}
