import { expect, onTestFinished, test } from 'vitest';
import { recordingLog } from '../../test/support/recordingLog.ts';
import { eventually } from '../../test/support/waiting.ts';
import { openChangeStreams } from './changeStreams.ts';

class Outage extends Error {}

/** Streams of viewers whose mark is what `read` answers; a read throws for all that it is asked for together. */
function openWatchers(read: (viewer: string) => string) {
  const streams = openChangeStreams<string>({
    name: 'test',
    log: recordingLog([]),
    marksOf: async (viewers) => new Map(viewers.map((viewer) => [viewer, read(viewer)])),
    isOutage: (error) => error instanceof Outage,
    pollEveryMs: 5,
    quietMsOf: () => 0,
    streamsMax: 100,
    perOwnerMax: 1,
    ownerOf: (viewer) => viewer,
    businessOf: (viewer) => viewer,
  });
  onTestFinished(() => streams.close());
  return (viewer: string) => {
    let said = '';
    const stream = streams.watch(viewer, '');
    stream?.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
    return { said: () => said, isOver: () => stream?.closed };
  };
}

test('a watcher that cannot be read ends alone, and all others go on', async () => {
  const watch = openWatchers((viewer) => {
    if (viewer === 'bad 7' || viewer === 'bad 8') throw new Error('refused');
    return `mark of ${viewer}`;
  });
  const watchers = Array.from({ length: 25 }, (_, n) => watch(n === 7 || n === 8 ? `bad ${n}` : `${n}`));
  const [bad, good] = [watchers.slice(7, 9), [...watchers.slice(0, 7), ...watchers.slice(9)]];
  await eventually(() => expect(bad.map(({ isOver }) => isOver())).toEqual([true, true]));
  await eventually(() => expect(good.filter(({ said }) => !said().includes('event: changed'))).toEqual([]));
  expect(good.some(({ isOver }) => isOver())).toBe(false);
  // The page may come back: nobody ended its session.
  for (const { said } of bad) expect(said()).not.toContain('event: ended');
});

test('all streams outlive a database that is down', async () => {
  let reads = 0;
  let isDown = true;
  const watch = openWatchers(() => {
    reads += 1;
    if (isDown) throw new Outage();
    return 'mark';
  });
  const watchers = Array.from({ length: 50 }, (_, n) => watch(`${n}`));
  await eventually(() => expect(reads).toBeGreaterThan(2));
  isDown = false;
  await eventually(() => expect(watchers.filter(({ said }) => !said().includes('changed'))).toEqual([]));
  expect(watchers.some(({ isOver }) => isOver())).toBe(false);
});
