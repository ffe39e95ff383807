import { expect, test } from 'vitest';
import { flashIn } from './flash.ts';

const FLASHES = { saved: ['good', 'Saved.'] } as const;

test('an address names a note of the page, or none', () => {
  expect(flashIn({ url: '/settings?flash=saved' }, FLASHES)).toEqual({ tone: 'good', text: 'Saved.' });
  for (const query of ['', '?flash=', '?flash=toString', '?flash=__proto__', '?flash=<script>'])
    expect(flashIn({ url: `/settings${query}` }, FLASHES)).toBeNull();
});
