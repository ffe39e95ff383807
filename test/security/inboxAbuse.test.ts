import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SESSIONS_PER_RECIPIENT_MAX } from '../../src/config/limits.ts';
import { randomToken } from '../../src/kit/ids.ts';
import { STREAMS_PER_RECIPIENT_MAX } from '../../src/pages/inbox/live.ts';
import { startService, type TestService } from '../support/service.ts';
import { eventually } from '../support/waiting.ts';
import {
  type LiveStream,
  linksOfMailTo,
  openInboxLink,
  openLiveStream,
  SAME_ORIGIN_FORM,
} from './inboxVisitor.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const statusOf = async (path: string, init: RequestInit = {}): Promise<number> => {
  const answer = await fetch(service.url + path, { redirect: 'manual', ...init });
  await answer.text();
  return answer.status;
};

describe('someone who has one inbox link', () => {
  const SESSIONS = 250;
  const STREAMS_EACH = 4;

  test('cannot take the live streams of another shop’s readers, nor fill the table of sessions', async () => {
    const [hostile, other] = [await service.business(), await service.business()];
    const link = await linksOfMailTo(service, hostile, 'mallory@example.com');
    const reader = await openInboxLink(
      service,
      (await linksOfMailTo(service, other, 'ann@example.com')).inbox,
    );

    const cookies: string[] = [];
    const streams: LiveStream[] = [];
    for (let count = 0; count < SESSIONS; count += 1) {
      const cookie = await openInboxLink(service, link.inbox);
      cookies.push(cookie);
      streams.push(
        ...(await Promise.all(Array.from({ length: STREAMS_EACH }, () => openLiveStream(service, cookie)))),
      );
    }

    const read = await openLiveStream(service, reader);
    expect(read.status).toBe(200);
    await eventually(async () =>
      expect(streams.filter((stream) => !stream.isOver()).length).toBeLessThanOrEqual(
        STREAMS_PER_RECIPIENT_MAX,
      ),
    );
    expect(streams.at(-1)?.isOver()).toBe(false);
    expect(read.isOver()).toBe(false);

    const { rows } = await service.pool.query<{ sessions: number }>(
      'select count(*)::int as sessions from inbox_sessions where business_id = $1',
      [hostile.businessId],
    );
    expect(rows).toEqual([{ sessions: SESSIONS_PER_RECIPIENT_MAX }]);
    const use = (cookie = '') => statusOf('/inbox', { headers: { cookie } });
    expect(await use(cookies[0])).toBe(403);
    expect(await use(cookies.at(-SESSIONS_PER_RECIPIENT_MAX - 1))).toBe(403);
    expect(await use(cookies.at(-SESSIONS_PER_RECIPIENT_MAX))).toBe(200);
    expect(await use(cookies.at(-1))).toBe(200);
    expect(await use(reader)).toBe(200);
    for (const stream of [read, ...streams]) stream.hangUp();
  }, 180_000);

  test('gets no more sessions by asking for them all at once', async () => {
    const shop = await service.business();
    const { inbox } = await linksOfMailTo(service, shop, 'mallory@example.com');
    await Promise.all(Array.from({ length: 60 }, () => openInboxLink(service, inbox)));
    const { rows } = await service.pool.query<{ sessions: number }>(
      'select count(*)::int as sessions from inbox_sessions where business_id = $1',
      [shop.businessId],
    );
    expect(rows).toEqual([{ sessions: SESSIONS_PER_RECIPIENT_MAX }]);
  });
});

describe('someone who tries wrong links', () => {
  test('locks nobody out who has a right one and comes from the same source', async () => {
    const shop = await service.business();
    const { inbox } = await linksOfMailTo(service, shop, 'ann@example.com');
    const wrong: number[] = [];
    for (let count = 0; count < 100; count += 1) wrong.push(await statusOf(`/i/${randomToken()}`));
    expect(wrong.at(-1)).toBe(429);
    expect(await statusOf(inbox)).toBe(200);
    const cookie = await openInboxLink(service, inbox);
    expect(await statusOf('/inbox', { headers: { cookie } })).toBe(200);
  });

  test('is answered alike for an expired link and for one that never was, before and after the limit', async () => {
    const shop = await service.business();
    const { inbox: expired } = await linksOfMailTo(service, shop, 'ann@example.com');
    await service.pool.query(`update links set expires_at = created_at where business_id = $1`, [
      shop.businessId,
    ]);
    const answers: string[] = [];
    for (const source of ['198.51.100.1', '198.51.100.2']) {
      const dead = source.endsWith('1') ? () => expired : () => `/i/${randomToken()}`;
      for (let count = 0; count < 70; count += 1) {
        const path = dead();
        const answer = await fetch(service.url + path, {
          method: count % 2 === 0 ? 'GET' : 'POST',
          headers: { ...SAME_ORIGIN_FORM, 'x-forwarded-for': source },
        });
        const headers = [...answer.headers].filter(([name]) => name !== 'date' && name !== 'x-request-id');
        const text = (await answer.text()).replaceAll(path.slice('/i/'.length), 'TOKEN');
        answers.push(JSON.stringify([answer.status, headers, text]));
      }
    }
    expect(answers.slice(0, 70)).toEqual(answers.slice(70));
    expect(new Set(answers).size).toBe(2);
    expect(answers.at(-1)).toContain('Send me a new link');
  });
});
