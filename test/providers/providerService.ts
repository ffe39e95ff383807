import { onTestFinished } from 'vitest';
import type { Channel } from '../../src/contract/channels.ts';
import { advanceDatabaseTime, notifyChannel, readDatabaseTime } from '../../src/db/sql.ts';
import { MINUTE } from '../../src/kit/clock.ts';
import type { Send } from '../../src/outbox/send.ts';
import {
  brevoEnv,
  httpEmailEnv,
  httpSmsEnv,
  httpWhatsappEnv,
  mailgunEnv,
  metaEnv,
  postmarkEnv,
  resendEnv,
  sendgridEnv,
  sesEnv,
  smtpEnv,
  twilioSmsEnv,
  twilioWhatsappEnv,
  vonageEnv,
} from '../support/providerEnvironments.ts';
import { startService, type TestService } from '../support/service.ts';
import { eventually } from '../support/waiting.ts';
import type { HttpAdapter } from './adapters/bench.ts';
import { brevoAdapter } from './adapters/brevo.ts';
import { httpEmailAdapter, httpSmsAdapter, httpWhatsappAdapter } from './adapters/http.ts';
import { mailgunAdapter } from './adapters/mailgun.ts';
import { metaAdapter } from './adapters/meta.ts';
import { postmarkAdapter } from './adapters/postmark.ts';
import { resendAdapter } from './adapters/resend.ts';
import { sendgridAdapter } from './adapters/sendgrid.ts';
import { sesAdapter } from './adapters/ses.ts';
import { SMTP_SCRIPTS, smtpAdapter } from './adapters/smtp.ts';
import { CONTENT, twilioSmsAdapter, twilioWhatsappAdapter } from './adapters/twilio.ts';
import { vonageAdapter } from './adapters/vonage.ts';
import { brevoEvent, postAsBrevo } from './callers/brevo.ts';
import { mailgunEvent } from './callers/mailgun.ts';
import { sendgridEvent } from './callers/sendgrid.ts';
import { vonageStatus } from './callers/vonage.ts';
import {
  type CallbackResponse,
  fakeSns,
  metaStatus,
  postmarkRecord,
  receiverStatus,
  resendEvent,
  sesEvent,
  twilioReport,
} from './callers.ts';
import { type MockReply, mockApi } from './mockApi.ts';
import { mockSmtp } from './mockSmtp.ts';

/** A provider as the whole product meets it: a mock, the operator's variables for it, and how it reports an arrival. */
export interface ProviderUnderTest {
  name: string;
  channel: Channel;
  open(): Promise<{
    env: Record<string, string>;
    /** From now on it behaves so. */
    behave(
      manner:
        | 'accepts the message'
        | 'closes the connection after the request'
        | 'never answers'
        | 'refuses the credentials',
    ): void;
    /** The references of the messages that reached it, each once however often it was asked about. */
    references(): string[];
    reply(next: MockReply): void;
  }>;
  /** Null: it never reports. */
  delivered: ((url: string, reference: string) => Promise<CallbackResponse>) | null;
}

const over = (
  adapter: HttpAdapter,
  channel: Channel,
  env: (url: string) => Record<string, string>,
  delivered: NonNullable<ProviderUnderTest['delivered']>,
): ProviderUnderTest => ({
  name: adapter.name,
  channel,
  delivered,
  async open() {
    const { replies, read, name } = adapter;
    const api = await mockApi(replies['accepts the message'], ({ path }) =>
      path.startsWith('/v1/ContentAndApprovals') ? { status: 200, body: allTemplates() } : null,
    );
    return {
      env: env(api.url),
      reply: api.reply,
      behave(manner) {
        if (manner === 'closes the connection after the request')
          api.reply('closes the connection after the body');
        else if (manner === 'never answers') api.reply(manner);
        else api.reply(replies[manner]);
      },
      references() {
        const made = api.taken.filter(({ method }) => method === 'POST').map(read);
        // The same key with the same bytes is the same submission.
        const unique = name === 'resend' ? new Map(made.map((one) => [one.whole, one])).values() : made;
        return [...unique].map(({ reference }) => reference ?? '');
      },
    };
  },
});

/** Every template of ours, approved. */
export const allTemplates = () => ({
  ...CONTENT,
  contents: ['confirmed', 'shipped', 'delivered'].map((status) => ({
    ...CONTENT.contents[0],
    friendly_name: `waypost_order_${status}_v1`,
  })),
});

export const PROVIDERS_UNDER_TEST: Record<string, ProviderUnderTest> = {
  postmark: over(postmarkAdapter, 'email', postmarkEnv, (url, reference) =>
    postmarkRecord(url, reference, 'Delivery'),
  ),
  resend: over(resendAdapter, 'email', resendEnv, (url, reference) =>
    resendEvent(url, reference, 'email.delivered'),
  ),
  brevo: over(brevoAdapter, 'email', brevoEnv, (url, reference) =>
    postAsBrevo(url, brevoEvent(reference, 'delivered')),
  ),
  ses: over(sesAdapter, 'email', sesEnv, (url, reference) => sesEvent(url, reference, 'Delivery')),
  mailgun: over(mailgunAdapter, 'email', mailgunEnv, (url, reference) =>
    mailgunEvent(url, reference, 'delivered'),
  ),
  sendgrid: over(sendgridAdapter, 'email', sendgridEnv, (url, reference) =>
    sendgridEvent(url, reference, 'delivered'),
  ),
  twilioSms: over(twilioSmsAdapter, 'sms', twilioSmsEnv, (url, reference) =>
    twilioReport(url, reference, 'delivered'),
  ),
  vonage: over(vonageAdapter, 'sms', vonageEnv, (url, reference) =>
    vonageStatus(url, reference, 'delivered'),
  ),
  twilioWhatsapp: over(twilioWhatsappAdapter, 'whatsapp', twilioWhatsappEnv, (url, reference) =>
    twilioReport(url, reference, 'delivered', { To: 'whatsapp:+447700900123' }),
  ),
  httpEmail: over(httpEmailAdapter, 'email', httpEmailEnv, (url, reference) =>
    receiverStatus(url, 'email', reference, 'delivered'),
  ),
  httpSms: over(httpSmsAdapter, 'sms', httpSmsEnv, (url, reference) =>
    receiverStatus(url, 'sms', reference, 'delivered'),
  ),
  httpWhatsapp: over(httpWhatsappAdapter, 'whatsapp', httpWhatsappEnv, (url, reference) =>
    receiverStatus(url, 'whatsapp', reference, 'delivered'),
  ),
  meta: over(metaAdapter, 'whatsapp', metaEnv, (url, reference) => metaStatus(url, reference, 'delivered')),
  smtp: {
    name: smtpAdapter.name,
    channel: 'email',
    delivered: null,
    async open() {
      const server = await mockSmtp();
      return {
        env: { ...smtpEnv(server.port), SMTP_USER: 'waypost', SMTP_PASSWORD: 'secret' },
        behave: (manner) => server.follow(SMTP_SCRIPTS[manner]),
        references: () => server.taken.map(({ mail }) => /^Message-ID:\s+<(.*)@/im.exec(mail)?.[1] ?? ''),
        reply: () => {},
      };
    },
  },
};

export function providerUnderTest(name: string): ProviderUnderTest {
  const found = PROVIDERS_UNDER_TEST[name];
  if (!found) throw new Error(`there is no carrier ${name}`);
  return found;
}

/** The whole product in this process with these variables, until the test ends; Amazon SNS is stood in for. */
export async function startProviderService(
  env: Record<string, string>,
  seams: { publicUrl?: string; nameServers?: readonly string[] } = {},
): Promise<TestService & { sns: ReturnType<typeof fakeSns> }> {
  const sns = fakeSns();
  const service = await startService(env, { sns, ...seams });
  onTestFinished(() => service.close());
  return { ...service, sns };
}

/** The push that makes a send on a channel. */
export const PUSH_ON_CHANNEL: Record<Channel, Record<string, unknown>> = {
  email: {},
  sms: { recipient_phone: '+447700900123', channels: ['sms'] },
  whatsapp: {
    recipient_phone: '+447700900123',
    channels: ['whatsapp'],
    whatsapp_opt_in: { source: 'checkout' },
    reference: '#1001',
    order_status: 'shipped',
  },
};

/** The send of a message on a channel, once it stands so. */
export function sendWhen(
  service: Pick<TestService, 'pool'>,
  messageId: string,
  channel: Channel,
  expected: Partial<Send>,
): Promise<Send> {
  return eventually(async () => {
    const { rows } = await service.pool.query<Send>(
      'select * from sends where message_id = $1 and channel = $2 order by id desc limit 1',
      [messageId, channel],
    );
    const [send] = rows;
    if (!send) throw new Error('there is no such send');
    for (const [column, value] of Object.entries(expected)) {
      const is = Object.getOwnPropertyDescriptor(send, column)?.value;
      if (is !== value)
        throw new Error(`${column} is ${is}, not ${value}; the send is ${send.state} ${send.reason}`);
    }
    return send;
  });
}

/** Moves the clock of the whole service between two calls, never during one, and waits until what came due was tried. */
export async function advanceMinutes({ pool }: Pick<TestService, 'pool'>, minutes: number): Promise<void> {
  const none = (of: string) =>
    eventually(async () => {
      const { rows } = await pool.query(`select id, state from sends where ${of}`);
      if (rows.length > 0) throw new Error(`still under way: ${JSON.stringify(rows)}`);
    });
  const underWay = "(state = 'submitting' or state = 'queued' and lease is not null)";
  await none(underWay);
  await advanceDatabaseTime(pool, minutes * MINUTE);
  await notifyChannel(pool, 'waypost_outbox');
  const [time] = await readDatabaseTime(pool);
  const now = new Date((time?.now_ms ?? 0) + (time?.offset_ms ?? 0));
  await none(`${underWay} or due_at <= '${now.toISOString()}'`);
}

/** How many of a kind the service has counted. */
export async function metricValue(
  url: string,
  metric: string,
  labels: Record<string, string>,
): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const line = text
    .split('\n')
    .find(
      (one) =>
        one.startsWith(`${metric}{`) &&
        Object.entries(labels).every(([name, value]) => one.includes(`${name}="${value}"`)),
    );
  return Number(line?.split(' ').at(-1) ?? 0);
}
