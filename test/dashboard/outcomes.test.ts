import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SettingsChange } from '../../src/businesses/settings.ts';
import { type Channel, channels, type PaidChannel } from '../../src/contract/channels.ts';
import type { Delivery, TimelineKind, ViewedMessage } from '../../src/contract/messages.ts';
import { later, MINUTE } from '../../src/kit/clock.ts';
import { emailOutcomes, OUTCOME_WORDS, paidOutcomes } from '../../src/messages/outcomes.ts';
import { countedUsage, timelineItems } from '../interface/happenings.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { joinShop, type MemberBrowser, signedIn } from './memberBrowser.ts';
import { ON_EVERY_CHANNEL, type Way } from './way.ts';
import { WAYS, WAYS_TO_WAIT } from './waysToEnd.ts';

/**
 * One shop in which a send of each channel ended in every way: list, filters, file, message page, usage and API must tell the same of
 * each. What is not about a way, such as the email beside an SMS, is held against the API.
 */

let service: TestService;
let shop: Shop;
let browser: MemberBrowser;
/** The messages by the names of their ways, in the order of their making. */
const made = new Map<string, string>();
/** Each message's badges in the list, by its id, and each filter's hits. */
let listed: Map<string, string>;
let hits: Record<Channel, [value: string, ids: string[]][]>;
/** The lines of the file, by the messages' ids. */
let lines: Map<string, Record<string, string>>;

type Case = [name: string, channel: Channel, way: Way];
const casesOf = (ways: typeof WAYS): Case[] =>
  channels.flatMap((channel) =>
    ways[channel].map(([name, way]): Case => [`${channel} ${name}`, channel, way]),
  );
const CASES = [...casesOf(WAYS), ...casesOf(WAYS_TO_WAIT)];

const USUAL: SettingsChange = {
  active: true,
  paused: false,
  plan: 'active',
  smsMode: 'on_request',
  whatsappMode: 'on_request',
  countriesCeiling: null,
  dailyEmailCap: null,
  paidPerRecipientHourCeiling: null,
  warmup: false,
};
const CREDITS = 1_000;
const WAIT_MINUTES = 10;

async function make([name, channel, way]: Case, number: number, isLast = false): Promise<void> {
  const { person = 'customer', digits = '0100', before, settings, push = {}, waits, cause } = way;
  const customer = {
    service,
    shop,
    email: `${person}+${number}@example.com`,
    phone: `+3725${100 + number}${digits}`,
  };
  await before?.(customer);
  if (settings) await service.change(shop, settings);
  const { id } = await shop.pushed({
    recipient_email: customer.email,
    ...(channel !== 'email' && { channels: [channel], recipient_phone: customer.phone }),
    ...(channel === 'whatsapp' && ON_EVERY_CHANNEL),
    ...(waits === 'scheduled' && {
      send_at: later(service.clock.now(), WAIT_MINUTES * MINUTE).toISOString(),
    }),
    ...(waits === 'until unread' && { escalate_if_unread_after_minutes: WAIT_MINUTES }),
    ...push,
  });
  made.set(name, id);
  if (isLast) return;
  await service.advance({ seconds: 2 });
  await cause?.({ ...customer, id });
  await service.advance(waits === undefined ? { seconds: 2 } : { minutes: WAIT_MINUTES + 1 });
  await service.change(shop, USUAL);
  await service.pool.query('update credit_accounts set balance = $2 where business_id = $1', [
    shop.businessId,
    CREDITS,
  ]);
}

beforeAll(async () => {
  service = await startService();
  shop = await service.business({ credits: CREDITS });
  for (const [number, one] of casesOf(WAYS).entries()) await make(one, number);
  // What the provider does not take is tried for an hour.
  await service.advance({ hours: 3 });
  for (const [number, one] of casesOf(WAYS_TO_WAIT).entries()) await make(one, 300 + number, true);
  await service.advance({ seconds: 2 });

  const { id } = await joinShop(service, shop.businessId, 'support@shop.example', 'member');
  browser = await signedIn(service, id);
  const list = `/dashboard/${shop.businessId}/messages`;
  listed = await readList(list);
  hits = { email: [], sms: [], whatsapp: [] };
  for (const channel of channels)
    for (const value of channel === 'email' ? emailOutcomes : paidOutcomes)
      hits[channel].push([value, [...(await readList(`${list}?${channel}=${value}`)).keys()]]);
  lines = new Map(table((await browser.get(`${list}.csv`)).text).map((line) => [line.id ?? '', line]));
}, 600_000);
afterAll(() => service.close());

test.each(CASES)('%s: every page, the file, usage and the API say so', async (name, channel, way) => {
  const id = made.get(name) ?? '';
  const { outcomes } = way;
  const { delivery } = expectStatus<ViewedMessage>(200, await shop.get(`/api/v1/messages/${id}`));
  const finest = outcomes.at(-1) ?? 'none';

  const found = hits[channel].flatMap(([value, ids]) => (ids.includes(id) ? [value] : []));
  expect(found.toSorted()).toEqual(outcomes.toSorted());
  const inFile = (channel === 'email' ? outcomes : outcomes.slice(0, 1)).filter(
    (one) => !NOT_IN_FILE.includes(one),
  );
  expect(outcomesInFile(lines.get(id) ?? {}, channel)).toEqual(inFile);
  const inApi = way.isRefusal ? [] : inFile.filter((outcome) => !NOT_IN_API.includes(outcome));
  expect(outcomesInApi(delivery, channel)).toEqual(inApi);

  const page = (await browser.get(`/dashboard/${shop.businessId}/messages/${id}`)).text;
  const badges = textIn(/id="outcomes">([\s\S]*?)<\/p>/, page);
  expect(listed.get(id)).toBe(badges);
  expect(badges).toMatch(badgeOf(channel, finest));
  if (outcomes.some((outcome) => outcome === 'bounced')) expect(badges).toContain('Email bounced');
  const said = textIn(new RegExp(`<dt>${TITLES[channel]}</dt><dd>([\\s\\S]*?)</dd>`), page);
  expect(said).toMatch(SENTENCES[finest]);
  const told = await timelineItems(shop, id);
  if (finest !== 'none')
    expect(told.map(({ says }) => says)).toContainEqual(expect.stringMatching(SENTENCES[finest]));
  if (finest === 'failed' || finest === 'rejected' || finest === 'unknown' || finest === 'bounced')
    expect(textIn(/id="sends">([\s\S]*?)<\/section>/, page)).toMatch(new RegExp(OUTCOME_WORDS[finest], 'i'));
});

test('usage counts each way once', async () => {
  const expected = new Map<string, number>();
  const count = (counter: string) => expected.set(counter, (expected.get(counter) ?? 0) + 1);
  const ofWays = new Map(CASES.map(([name, channel, way]) => [made.get(name), { channel, way }]));
  for (const id of listed.keys()) {
    const own = ofWays.get(id);
    for (const counter of own?.way.counted ?? []) count(counter);
    for (const { kind, channel } of await timelineItems(shop, id)) {
      const counter = COUNTERS[channel ?? 'message'][kind];
      if (counter !== undefined && (channel ?? 'email') !== own?.channel) count(counter);
    }
  }
  const { total } = await countedUsage(shop);
  const { email, sms, whatsapp, avoided } = total;
  const ends: Record<string, number> = {};
  for (const [name, figures] of Object.entries({ email, sms, whatsapp, avoided }))
    for (const [figure, value] of Object.entries(figures))
      if (!['sent', 'credits'].includes(figure) && value > 0) ends[`${name}.${figure}`] = value;
  expect(ends).toEqual(Object.fromEntries(expected));
});

test('every outcome that there is was reached', () => {
  for (const channel of channels) {
    const reached = CASES.flatMap(([, of, { outcomes }]) => (of === channel ? outcomes : []));
    const known = channel === 'email' ? emailOutcomes : paidOutcomes;
    // Nobody learns whether an SMS was read.
    expect(known.filter((outcome) => !reached.includes(outcome))).toEqual(channel === 'sms' ? ['read'] : []);
  }
});

const TITLES = { email: 'Email', sms: 'SMS', whatsapp: 'WhatsApp' } as const;
type Outcome = (typeof emailOutcomes)[number] | (typeof paidOutcomes)[number];

/** What the API, which is also the file's language, has no word for. */
const NOT_IN_FILE: readonly Outcome[] = ['under_way', 'none'];
const NOT_IN_API: readonly Outcome[] = ['held', 'not_needed'];
const onPaid = (channel: PaidChannel): Partial<Record<TimelineKind, string>> => ({
  delivered: `${channel}.delivered`,
  rejected: `${channel}.rejected`,
  skipped: `${channel}.skipped`,
});
/** What usage counts of the channels that a way is not about. */
const COUNTERS: Record<Channel | 'message', Partial<Record<TimelineKind, string>>> = {
  message: { opened: 'email.opened' },
  email: { delivered: 'email.delivered', skipped: 'email.not_sent', cancelled: 'email.not_sent' },
  sms: onPaid('sms'),
  whatsapp: onPaid('whatsapp'),
};

/** What the channel's last sentence says of each. */
const SENTENCES: Record<Outcome, RegExp> = {
  delivered: /was delivered|WhatsApp message arrived/,
  opened: /accepted|was delivered|bounced|opened/,
  read: /read the WhatsApp message/,
  bounced: /bounced/,
  complained: /as spam/,
  failed: /failed: /,
  rejected: /refused/,
  unknown: /outcome is unknown/,
  not_sent: /^No email: /,
  skipped: /^No (?:SMS|WhatsApp message): /,
  under_way: /accepted|planned/,
  queued: /accepted|planned/,
  held: /held back/,
  not_needed: /^No (?:SMS|WhatsApp message): /,
  none: /^$/,
};

function badgeOf(channel: Channel, outcome: Outcome): RegExp {
  const word = OUTCOME_WORDS[outcome];
  if (outcome === 'none') return new RegExp(`^(?!.*${TITLES[channel]})`);
  if (outcome === 'opened' || outcome === 'complained') return new RegExp(word, 'i');
  // What waits for its time shows that time.
  const time = ['under_way', 'queued', 'held'].includes(outcome) ? '|goes out |at ' : '';
  return new RegExp(`${TITLES[channel]} (?:${word}${time})`);
}

const EMAIL_FLAGS = ['delivered', 'opened', 'bounced', 'complained', 'failed'] as const;
const FINER_OF: Readonly<Record<string, Outcome>> = { esp_refused: 'rejected', outcome_unknown: 'unknown' };

function outcomesInApi(delivery: Delivery, channel: Channel): Outcome[] {
  if (channel !== 'email') return delivery[channel] === null ? [] : [delivery[channel].status];
  const { failed, not_sent } = delivery;
  return [
    ...EMAIL_FLAGS.filter((outcome) => delivery[outcome]),
    ...[FINER_OF[failed?.reason ?? '']].filter((finer) => finer !== undefined),
    ...(not_sent === null ? [] : (['not_sent'] as const)),
  ];
}

function outcomesInFile(line: Record<string, string>, channel: Channel): string[] {
  if (channel !== 'email') return line[channel] === '' ? [] : [line[channel] ?? ''];
  const columns = {
    delivered: line.email_delivered_at,
    opened: line.opened_at,
    bounced: line.email_bounced_at,
    complained: line.email_complained_at,
    failed: line.email_failed,
    rejected: FINER_OF[line.email_failed ?? ''] === 'rejected' && 'so',
    unknown: FINER_OF[line.email_failed ?? ''] === 'unknown' && 'so',
    not_sent: line.email_not_sent,
  };
  return Object.entries(columns).flatMap(([outcome, cell]) => (cell ? [outcome] : []));
}

/** Every page of the list: the badges of each message. */
async function readList(path: string): Promise<Map<string, string>> {
  const rows = new Map<string, string>();
  for (let next: string | undefined = path; next !== undefined; ) {
    const { text } = await browser.get(next);
    for (const [, id = '', row = ''] of text.matchAll(/id="m-(\w+)"([\s\S]*?)<\/tr>/g))
      rows.set(id, textIn(/<span class="badges">([\s\S]*?)<\/td>/, row));
    next = /<a href="([^"]*)">Older messages/.exec(text)?.[1]?.replaceAll('&amp;', '&');
  }
  return rows;
}

/** The lines of a file by the names of its columns. None of these cells has a comma in it. */
function table(csv: string): Record<string, string>[] {
  const [names = [], ...rows] = csv
    .trimEnd()
    .replace(/^\uFEFF/, '')
    .split('\r\n')
    .map((line) => line.split(','));
  return rows.map((cells) => Object.fromEntries(names.map((name, place) => [name, cells[place] ?? ''])));
}

/** The words of a part of a page. */
const textIn = (part: RegExp, html: string): string =>
  (part.exec(html)?.[1] ?? '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
