import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findInText } from './findInText.ts';

const TEXT = `# Reference

Words about everything.

## Webhooks

What arrives at an endpoint.

## Check the signature

Compare the signature with the one of the body.

## Errors

A webhook that fails is repeated.
`;

test.each([
  ['signatures', '## Check the signature'],
  ['What do webhooks send?', '## Webhooks'],
  ['ERRORS', '## Errors'],
])('%s: the section whose heading has the words comes first', (question, heading) => {
  expect(findInText(TEXT, question).split('\n')[0]).toBe(heading);
});

test.each(['', 'to a', '¿?', 'zebra quagga'])('%j: nothing is found, and that is said', (question) => {
  expect(findInText(TEXT, question)).toBe('Nothing in the documents has these words.');
});

test('any question is answered, at most so long', () => {
  const long = `## Long\n${'word '.repeat(20_000)}`;
  fc.assert(
    fc.property(fc.string(), (question) => {
      expect(findInText(long + TEXT, `${question} word`).length).toBeLessThanOrEqual(16_000);
    }),
  );
});
