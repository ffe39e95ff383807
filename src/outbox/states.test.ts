import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { channels } from '../contract/channels.ts';
import { isWaiting, mayBeAccepted, mayFollow, sendStates, transitions, wasAccepted } from './states.ts';

const document = readFileSync(new URL('../../docs/sends.md', import.meta.url), 'utf8');
const titles = { email: 'Email', sms: 'SMS', whatsapp: 'WhatsApp' } as const;

/** The arrows of a channel's drawing, without those from the beginning and to the end. */
function drawn(channel: keyof typeof titles): string[] {
  const section = document.split(`## ${titles[channel]}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^ {2}(\w+) --> (\w+)/gm)].map(([, from, to]) => `${from} → ${to}`).sort();
}

describe.each(channels)('the states of a send by %s', (channel) => {
  test('are drawn in docs/sends.md exactly as the table says', () => {
    const table = sendStates.flatMap((from) => transitions[channel][from].map((to) => `${from} → ${to}`));
    expect(drawn(channel)).toEqual(table.sort());
  });

  test('end where the drawing says they end', () => {
    const section = document.split(`## ${titles[channel]}\n`)[1]?.split('\n## ')[0] ?? '';
    const ends = [...section.matchAll(/^ {2}(\w+) --> \[\*\]/gm)].map(([, state]) => state);
    const reachable = sendStates.filter((state) =>
      sendStates.some((from) => mayFollow(channel, from, state)),
    );
    expect(ends.sort()).toEqual(reachable.filter((state) => transitions[channel][state].length === 0).sort());
  });

  test('never go back: without the two known exceptions there is no way round', () => {
    const known = (from: string, to: string) =>
      (from === 'submitting' && to === 'queued') ||
      (from === 'failed' && (to === 'delivered' || to === 'read'));
    const visit = (state: (typeof sendStates)[number], path: string[]): void => {
      if (path.includes(state)) throw new Error(`a circle: ${[...path, state].join(' → ')}`);
      for (const next of transitions[channel][state]) if (!known(state, next)) visit(next, [...path, state]);
    };
    for (const state of sendStates) visit(state, []);
  });
});

test('a provider may have what was submitted, unless it refused it; what waits or ended before costs nothing', () => {
  expect(sendStates.filter(isWaiting)).toEqual(['held', 'queued']);
  expect(sendStates.filter(wasAccepted)).toEqual(['accepted', 'delivered', 'read', 'failed']);
  expect(sendStates.filter(mayBeAccepted)).toEqual(['submitting', 'accepted', 'delivered', 'read', 'failed']);
});
