import { expect, test } from 'vitest';
import { createMetrics } from '../api/metrics.ts';
import { samplesIn } from './channelsReport.ts';

test('samples are read as the metrics write them, with quotes, backslashes and breaks in their words', async () => {
  const metrics = createMetrics();
  const sentence = 'Twilio says "no" to \\ +1,\nand }= that is it.';
  metrics.gaugeBy('waypost_example', 'Help.', 'sentence', () => ({ [sentence]: 1 }));
  metrics.observeSend('email', 'accepted');
  const samples = samplesIn(await metrics.text());
  expect(samples).toContainEqual({ name: 'waypost_example', labels: { sentence }, value: 1 });
  expect(samples).toContainEqual({
    name: 'waypost_sends_total',
    labels: { channel: 'email', outcome: 'accepted' },
    value: 1,
  });
});

test('what a gauge does not say any more is gone', async () => {
  const metrics = createMetrics();
  let sentences: Record<string, number> = { 'The token is wrong.': 1 };
  metrics.gaugeBy('waypost_example', 'Help.', 'sentence', () => sentences);
  const words = async () =>
    samplesIn(await metrics.text())
      .filter(({ name }) => name === 'waypost_example')
      .map(({ labels }) => labels.sentence);
  expect(await words()).toEqual(['The token is wrong.']);
  sentences = {};
  expect(await words()).toEqual([]);
});
