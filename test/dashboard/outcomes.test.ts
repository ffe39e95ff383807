import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel } from '../../src/contract/channels.ts';
import type { ViewedMessage } from '../../src/contract/messages.ts';
import { emailOutcomes, paidOutcomes } from '../../src/pages/dashboard/messages/query.ts';
import { countedUsage, openFromEmail } from '../interface/happenings.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import { joinShop, type MemberBrowser, signedIn } from './memberBrowser.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

interface End {
  push?: Record<string, unknown>;
  /** What happens besides, before and after the push. */
  before?(shop: Shop): Promise<unknown>;
  after?(shop: Shop, id: string): Promise<unknown>;
  channel: Channel;
  /** As filters and the API name them; an email can have several. */
  outcomes: string[];
  /** Where the API differs: it has no word for a channel that never had a send. */
  inApi?: string[];
  badges: RegExp;
  sentence: RegExp;
  /** What usage counts once. */
  counted: string;
}

const EMAIL = { channel: 'email' } as const;
const SMS = { channel: 'sms' } as const;
const WHATSAPP = { channel: 'whatsapp' } as const;
const to = (person: string) => ({ recipient_email: `${person}@example.com` });
const text = (number: string) => ({ channels: ['sms'], recipient_phone: `+3725550${number}` });
const onWhatsapp = (number: string) => ({
  channels: ['whatsapp'],
  recipient_phone: `+3725550${number}`,
  whatsapp_opt_in: { source: 'checkout' },
  reference: '#1001',
  order_status: 'shipped',
});
const anHourOn = () => service.advance({ hours: 1 });
const opens = async (_shop: Shop, id: string) => {
  await openFromEmail(service, id);
};

const ENDS: Record<string, End> = {
  'an email is delivered': {
    ...EMAIL,
    outcomes: ['delivered'],
    badges: /^Email delivered$/,
    sentence: /was delivered/,
    counted: 'delivered',
  },
  'an email bounces': {
    ...EMAIL,
    push: to('bounce'),
    outcomes: ['bounced'],
    badges: /^Email bounced$/,
    sentence: /bounced/,
    counted: 'bounced',
  },
  'an email bounces, and its message is opened later': {
    ...EMAIL,
    push: to('bounce+opened'),
    after: opens,
    outcomes: ['opened', 'bounced'],
    badges: /^Email bounced Opened$/,
    sentence: /bounced/,
    counted: 'bounced',
  },
  'an email is marked as spam': {
    ...EMAIL,
    push: to('complain'),
    outcomes: ['delivered', 'complained'],
    badges: /^Marked as spam$/,
    sentence: /as spam/,
    counted: 'complained',
  },
  'an email is refused': {
    ...EMAIL,
    push: to('refuse'),
    after: anHourOn,
    outcomes: ['failed'],
    badges: /^Email failed$/,
    sentence: /refused the email/,
    counted: 'failed',
  },
  'an email has no answer': {
    ...EMAIL,
    push: to('unknown'),
    outcomes: ['failed'],
    badges: /^Email failed$/,
    sentence: /may or may not/,
    counted: 'failed',
  },
  'an email is not sent': {
    ...EMAIL,
    before: (shop) => service.change(shop, { paused: true }),
    outcomes: ['not_sent'],
    badges: /^Email not sent sending was paused/,
    sentence: /No email: sending was paused/,
    counted: 'not_sent',
  },
  'a text is delivered': {
    ...SMS,
    push: text('0001'),
    outcomes: ['delivered'],
    badges: / SMS delivered$/,
    sentence: /was delivered/,
    counted: 'delivered',
  },
  'a text fails': {
    ...SMS,
    push: text('9003'),
    outcomes: ['failed'],
    badges: / SMS failed$/,
    sentence: /could not be delivered/,
    counted: 'failed',
  },
  'a text is refused by the provider': {
    ...SMS,
    push: text('9001'),
    after: anHourOn,
    outcomes: ['rejected'],
    badges: / SMS refused$/,
    sentence: /provider refused/,
    counted: 'rejected',
  },
  'a text is refused at the push': {
    ...SMS,
    push: { channels: ['sms'] },
    outcomes: ['skipped'],
    inApi: ['none'],
    badges: / SMS not sent the customer’s number is not known$/,
    sentence: /number is not known/,
    counted: 'skipped',
  },
  'a text is refused by an update in place': {
    ...SMS,
    push: { kind: 'updateable' },
    after: (shop) => shop.pushed({ kind: 'updateable', notify: true, channels: ['sms'] }),
    outcomes: ['skipped'],
    inApi: ['none'],
    badges: / SMS not sent the customer’s number is not known$/,
    sentence: /number is not known/,
    counted: 'skipped',
  },
  'a text is refused when it is asked for again': {
    ...SMS,
    after: (shop, id) => shop.post(`/api/v1/messages/${id}/sms`),
    outcomes: ['skipped'],
    inApi: ['none'],
    badges: / SMS not sent the customer’s number is not known$/,
    sentence: /number is not known/,
    counted: 'skipped',
  },
  'a text is switched off before its time': {
    ...SMS,
    push: { ...text('0002'), escalate_if_unread_after_minutes: 30 },
    after: async (shop) => {
      await service.change(shop, { smsMode: 'off' });
      await anHourOn();
    },
    outcomes: ['skipped'],
    badges: / SMS not sent texts are switched off/,
    sentence: /texts are switched off/,
    counted: 'skipped',
  },
  'a WhatsApp message is read': {
    ...WHATSAPP,
    push: onWhatsapp('9008'),
    outcomes: ['read'],
    badges: / WhatsApp read$/,
    sentence: /read the WhatsApp message/,
    counted: 'read',
  },
  'a WhatsApp message is refused at the push': {
    ...WHATSAPP,
    push: { ...onWhatsapp('0003'), order_status: null },
    outcomes: ['skipped'],
    inApi: ['none'],
    badges: / WhatsApp not sent no approved wording fits this message$/,
    sentence: /no approved wording/,
    counted: 'skipped',
  },
};

test.each(Object.entries(ENDS))('%s: every page, the file, usage and the API say so', async (_, end) => {
  const shop = await service.business({ credits: 10 });
  const { id: memberId } = await joinShop(service, shop.businessId, 'support@shop.example', 'member');
  await end.before?.(shop);
  const { id } = await shop.pushed(end.push);
  await end.after?.(shop, id);
  // The report about the email beside it comes within a second, and would change a page after the list was read.
  await service.advance({ seconds: 2 });
  await eventually(async () =>
    expect(await outcomesInApi(shop, id, end.channel)).toEqual(end.inApi ?? end.outcomes),
  );

  const browser = await signedIn(service, memberId);
  const list = `/dashboard/${shop.businessId}/messages`;
  expect(await outcomesInFilters(browser, list, end.channel)).toEqual(end.outcomes);
  const onList = badgesIn(/<span class="badges">([\s\S]*?)<\/td>/, (await browser.get(list)).text);
  expect(onList).toMatch(end.badges);
  const page = (await browser.get(`${list}/${id}`)).text;
  expect(badgesIn(/id="outcomes">([\s\S]*?)<\/p>/, page)).toBe(onList);
  expect(plain(/<dl class="answers">([\s\S]*?)<\/dl>/.exec(page)?.[1] ?? '')).toMatch(end.sentence);
  const [line = {}] = table((await browser.get(`${list}.csv`)).text);
  expect(outcomesInFile(line, end.channel)).toEqual(end.outcomes);
  const { total } = await countedUsage(shop);
  expect(Object(total[end.channel])[end.counted]).toBe(1);
});

async function outcomesInApi(shop: Shop, id: string, channel: Channel): Promise<string[]> {
  const { delivery } = expectStatus<ViewedMessage>(200, await shop.get(`/api/v1/messages/${id}`));
  if (channel !== 'email') return [delivery[channel]?.status ?? 'none'];
  return (['delivered', 'opened', 'bounced', 'complained', 'failed', 'not_sent'] as const).filter(
    (outcome) => delivery[outcome],
  );
}

/** The values of the channel's filter that find the shop's one message. */
async function outcomesInFilters(browser: MemberBrowser, list: string, channel: Channel): Promise<string[]> {
  const values = channel === 'email' ? emailOutcomes : paidOutcomes;
  const found: string[] = [];
  for (const value of values)
    if ((await browser.get(`${list}?${channel}=${value}`)).text.includes('id="m-')) found.push(value);
  return found;
}

const EMAIL_COLUMNS = {
  email_delivered_at: 'delivered',
  opened_at: 'opened',
  email_bounced_at: 'bounced',
  email_complained_at: 'complained',
  email_failed: 'failed',
  email_not_sent: 'not_sent',
};
const outcomesInFile = (line: Record<string, string>, channel: Channel): string[] =>
  channel === 'email'
    ? emailOutcomes.filter((outcome) =>
        Object.entries(EMAIL_COLUMNS).some(([name, of]) => of === outcome && Boolean(line[name])),
      )
    : [line[channel] ?? ''];

/** The lines of a file by the names of its columns. None of these cells has a comma in it. */
function table(csv: string): Record<string, string>[] {
  const [names = [], ...lines] = csv
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
  return lines.map((cells) => Object.fromEntries(names.map((name, place) => [name, cells[place] ?? ''])));
}

const plain = (html: string): string =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
const badgesIn = (part: RegExp, page: string): string => plain(part.exec(page)?.[1] ?? '');
