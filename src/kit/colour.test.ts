import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { brandTones, contrastOf, ENOUGH_CONTRAST, isColour, PAPER } from './colour.ts';

const colour = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`);
const schemes = ['light', 'dark'] as const;

test('text in any business’s colour is legible on every surface, in light and in dark', () => {
  fc.assert(
    fc.property(colour, fc.constantFrom(...schemes), (brand, scheme) => {
      const { ink, fill, onFill } = brandTones(brand, scheme);
      for (const paper of PAPER[scheme])
        expect(contrastOf(ink, paper)).toBeGreaterThanOrEqual(ENOUGH_CONTRAST);
      expect(fill).toBe(brand);
      expect(contrastOf(onFill, fill)).toBeGreaterThanOrEqual(ENOUGH_CONTRAST);
      expect([ink, fill, onFill].every(isColour)).toBe(true);
    }),
  );
});

test.each([
  ['#2f6f4f', { ink: '#2f6f4f', onFill: '#ffffff', edge: '#2f6f4f' }],
  ['#ffe066', { onFill: '#000000' }],
  ['#fefefe', { onFill: '#000000', edge: '#000000' }],
  ['#0a0a0a', { onFill: '#ffffff', edge: '#ffffff' }],
])('a surface of %s stays as it is, with black or white on it and an end that can be seen', (fill, tones) => {
  expect(brandTones(fill, 'light')).toMatchObject({ fill, ...tones });
});

test('the contrast of black and white is that of WCAG', () => {
  expect(contrastOf('#000000', '#ffffff')).toBe(21);
  expect(contrastOf('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
});

test('the surfaces the colours are made for are those of the style sheet', () => {
  const style = readFileSync(new URL('../pages/inbox/assets/inbox.css', import.meta.url), 'utf8');
  for (const scheme of schemes) {
    const [page, card, soft] = PAPER[scheme];
    expect(style).toContain(`--page: ${page};\n`);
    expect(style).toContain(`--card: ${card};\n`);
    expect(style).toContain(`--soft: ${soft};\n`);
  }
});
