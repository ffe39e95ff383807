import { expect, test } from 'vitest';
import { thenClose } from '../../bench/cleanup.ts';
import { openFaultProxy } from '../../chaos/faultProxy.ts';
import { openHttpProvider } from '../../chaos/providers/httpProvider.ts';
import { Outage } from '../../chaos/providers/outage.ts';
import { PROVIDER_FORMATS } from '../../chaos/providers/providerFormats.ts';
import { ProviderLog } from '../../chaos/providers/providerLog.ts';
import { seededRandom } from '../support/seededRandom.ts';

/** The provider of `npm run chaos -- --only outage`, behind its proxy. */
async function resendInTrouble() {
  const log = new ProviderLog();
  const outage = new Outage(seededRandom(1));
  const toReport: string[] = [];
  const report = (reference: string) => void toReport.push(reference);
  const port = await openHttpProvider('resend', PROVIDER_FORMATS.resend, log, outage, report);
  const proxy = await openFaultProxy('resend', () => ({ host: '127.0.0.1', port }), seededRandom(1));
  const send = async (reference: string, key: string): Promise<number> => {
    const body = JSON.stringify({ tags: [{ name: 'waypost_reference', value: reference }] });
    const headers = { 'idempotency-key': key };
    return (await fetch(`http://127.0.0.1:${proxy.port}/emails`, { method: 'POST', headers, body })).status;
  };
  return { log, outage, proxy, toReport, send };
}

test('a call that is repeated with its key is the same submission', () =>
  thenClose(async () => {
    const { log, toReport, send } = await resendInTrouble();
    for (const key of ['a/1', 'a/1', 'a/2']) expect(await send('a', key)).toBe(200);
    expect(log.acceptedBy().get('a')).toEqual(['resend', 'resend']);
    expect(toReport).toEqual(['a', 'a']);
  }));

test('a provider that is down refuses connections, and takes them again afterwards', () =>
  thenClose(async () => {
    const { log, proxy, send } = await resendInTrouble();
    expect(await send('a', 'a/1')).toBe(200);
    await proxy.refuse(true);
    await expect(send('b', 'b/1')).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    await proxy.refuse(false);
    expect(await send('c', 'c/1')).toBe(200);
    expect([...log.acceptedBy().keys()]).toEqual(['a', 'c']);
  }));

test('a provider that lies accepts and reports nothing', () =>
  thenClose(async () => {
    const { log, outage, toReport, send } = await resendInTrouble();
    outage.condition = 'lying';
    expect(await send('a', 'a/1')).toBe(200);
    expect([toReport, [...log.unreported()]]).toEqual([[], ['a']]);
  }));

test('a slow provider answers late, and to some that it is busy', () =>
  thenClose(async () => {
    const { log, outage, send } = await resendInTrouble();
    outage.condition = 'slow';
    const began = performance.now();
    const statuses = await Promise.all(Array.from({ length: 40 }, (_, n) => send(`${n}`, `${n}/1`)));
    expect(performance.now() - began).toBeGreaterThan(1_000);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(log.acceptedBy().size).toBe(statuses.filter((status) => status === 200).length);
  }));
