import { expect, test } from 'vitest';
import type { Logo } from './logo.ts';
import { createLogoReader, LOGOS_WAITING_MAX } from './reader.ts';
import { LogoRefused } from './refusal.ts';

/** Reads nothing; says whose logo is read, and notes the most at once. */
function recorded() {
  const seen = { order: '', most: 0 };
  let now = 0;
  const read = createLogoReader(async (bytes): Promise<Logo> => {
    now += 1;
    seen.most = Math.max(seen.most, now);
    seen.order += bytes.toString();
    await new Promise(setImmediate);
    now -= 1;
    if (bytes.toString() === '!') throw new LogoRefused('damaged');
    return { name: bytes.toString(), content: bytes };
  });
  return { seen, upload: (shop: string, text = shop) => read(shop, Buffer.from(text)) };
}

test('logos are read one at a time, and a shop that uploads many does not hold up another', async () => {
  const { seen, upload } = recorded();
  const names = await Promise.all(['a', 'a', 'a', 'a', 'b', 'c', 'b'].map((shop) => upload(shop)));
  expect(names.map(({ name }) => name).join('')).toBe('aaaabcb');
  expect(seen).toEqual({ order: 'aabcaba', most: 1 });
  expect((await upload('d')).name).toBe('d');
});

test('one that is refused makes way for the next', async () => {
  const { seen, upload } = recorded();
  const outcomes = await Promise.allSettled([upload('a', '!'), upload('a', '!'), upload('b')]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  expect(seen.most).toBe(1);
});

test('too many at once are refused, and there is room for another shop', async () => {
  const { upload } = recorded();
  const many = Array.from({ length: LOGOS_WAITING_MAX + 2 }, () => upload('a'));
  const other = upload('b');
  const outcomes = await Promise.allSettled(many);
  expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([
    {
      status: 'rejected',
      reason: expect.objectContaining({ message: expect.stringContaining('Try again') }),
    },
  ]);
  expect((await other).name).toBe('b');
});
