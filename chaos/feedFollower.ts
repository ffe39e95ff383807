import { setTimeout as sleep } from 'node:timers/promises';
import { listAt, parseJsonText, textAt } from '../src/kit/json.ts';
import { registerCleanup } from './cleanup.ts';

/** A program that follows the feed of events through whatever happens, as the documentation asks it to. */
export interface FeedFollower {
  /** The ids of the events, in the order in which they came. */
  readonly seen: readonly string[];
  /** Reads what is left, then ends. */
  finish(): Promise<void>;
}

const AGAIN_AFTER_MS = 100;
const WAIT_SECONDS = 1;

export function followFeed(baseUrl: string, apiKey: string): FeedFollower {
  const seen: string[] = [];
  let next: string | null = null;
  let stopping = false;

  /** Returns whether the page was the last one for now; a call that fails is made again with the same cursor. */
  const readPage = async (): Promise<boolean> => {
    const after: string = next === null ? '' : `&after=${next}`;
    const response = await fetch(`${baseUrl}/api/v1/events?wait=${WAIT_SECONDS}${after}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(text);
    const page = parseJsonText(text);
    seen.push(...listAt(page, 'items').map((item) => textAt(item, 'id') ?? 'no id'));
    next = textAt(page, 'next') ?? next;
    return listAt(page, 'items').length === 0;
  };

  const follow = async (): Promise<void> => {
    for (;;) {
      // A call that waits already may be answered with nothing just before the last events are placed.
      const isLast = stopping;
      const isEnd = await readPage().catch(() => sleep(AGAIN_AFTER_MS, false));
      if (isLast && isEnd) return;
    }
  };
  const following = follow();
  const stop = registerCleanup(async () => {
    stopping = true;
    await following;
  });
  return { seen, finish: stop };
}
