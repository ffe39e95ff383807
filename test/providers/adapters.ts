import { onTestFinished } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { type Clock, systemClock } from '../../src/kit/clock.ts';
import { createHttpClient } from '../../src/providers/http.ts';
import { metaWhatsapp } from '../../src/providers/meta/send.ts';
import { postmarkEmail } from '../../src/providers/postmark/send.ts';
import type {
  AnyOutbound,
  Outbound,
  OutboundEmail,
  OutboundText,
  OutboundWhatsapp,
  Provider,
  ProviderResponse,
} from '../../src/providers/provider.ts';
import { resendEmail } from '../../src/providers/resend/send.ts';
import { sesEmail } from '../../src/providers/ses/send.ts';
import { smtpEmail } from '../../src/providers/smtp/send.ts';
import { twilioSms, twilioWhatsapp } from '../../src/providers/twilio/send.ts';
import {
  metaEnv,
  postmarkEnv,
  resendEnv,
  sesEnv,
  smtpEnv,
  twilioSmsEnv,
  twilioWhatsappEnv,
} from '../support/providerEnvironments.ts';
import { type MockReply, mockApi, type ReceivedRequest } from './mockApi.ts';
import { mockSmtp, type SmtpScript } from './mockSmtp.ts';

/** A message as a provider saw it arrive. */
export interface Submission {
  reference: string | null;
  from: string;
  to: string;
  /** Everything of it: what must be the same where it comes twice. */
  whole: string;
}

/** Ways in which every provider behaves at times, each in its own words. */
export const SERVER_BEHAVIOURS = [
  'accepts the message',
  'is busy',
  'refuses the message',
  'refuses the credentials',
  'refuses the sender',
  'closes the connection after the request',
  'never answers',
  'refuses the connection',
] as const;
export type ServerBehaviour = (typeof SERVER_BEHAVIOURS)[number];

/** How a message differs from the one on the bench. */
export type OutboundChange = Partial<Outbound> & Partial<Pick<OutboundWhatsapp, 'template'>>;

/** One adapter before a mock of its provider, which behaves as it is told. */
export interface ConnectedAdapter {
  send(change?: OutboundChange, signal?: AbortSignal): Promise<ProviderResponse>;
  behave(manner: ServerBehaviour): Promise<void>;
  submissions(): Submission[];
}

export interface Adapter {
  name: string;
  open(): Promise<ConnectedAdapter>;
}

/** The limit of a call on the bench: long enough for a busy machine to answer, short enough to wait for. */
export const CALL_MS = 1_000;
export const REFERENCE = 'mwh91ugabiz-mwh91uga00send';
export const OWN_SENDERS = {
  email: 'news@acme.example',
  sms: '+447700900777',
  whatsapp: '+447700900778',
  id: '2065403522429',
};
const CALLBACK_URL = 'https://waypost.example/callbacks/twilio';

const outbound: Outbound = {
  reference: REFERENCE,
  attempt: 1,
  businessId: 'mwh91ugabiz',
  sendId: 'mwh91uga00send',
  messageId: 'mwh91uga00message',
  recipientId: 'mwh91uga00recipient',
  to: '',
  from: null,
};

export const sampleEmail = (change: Partial<Outbound> = {}): OutboundEmail => ({
  ...outbound,
  channel: 'email',
  to: 'ann@example.com',
  fromName: 'Zoë’s Café, "Tallinn"',
  subject: 'Your order #1001 has shipped ✓',
  text: 'Read it in your inbox:\nhttps://waypost.example/i/4hX0r7Qm2sT9vLcK8dWz1A\n',
  html: '<p>Read it in your <a href="https://waypost.example/i/4hX0r7Qm2sT9vLcK8dWz1A">inbox</a></p>',
  headers: {
    'Message-ID': `<${REFERENCE}@waypost.example>`,
    'List-Unsubscribe': '<https://waypost.example/unsubscribe/abc>',
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    'Auto-Submitted': 'auto-generated',
  },
  ...change,
});

export const sampleText = (change: Partial<Outbound> = {}): OutboundText => ({
  ...outbound,
  channel: 'sms',
  to: '+447700900123',
  text: 'Acme Books: your order #1001 has shipped. https://waypost.example/i/4hX0r7Qm2sT9vLcK8dWz1A',
  ...change,
});

export const sampleWhatsapp = (change: OutboundChange = {}): OutboundWhatsapp => ({
  ...outbound,
  channel: 'whatsapp',
  to: '+447700900123',
  text: 'Update from Acme Books: your order #1001 has shipped.',
  template: {
    name: 'waypost_order_shipped_v1',
    language: 'en',
    parameters: ['Acme Books', '#1001', 'https://waypost.example/i/4hX0r7Qm2sT9vLcK8dWz1A'],
  },
  ...change,
});

type HttpReplies = Record<
  | 'accepts the message'
  | 'is busy'
  | 'refuses the message'
  | 'refuses the credentials'
  | 'refuses the sender',
  MockReply
>;

interface HttpBench<Message extends AnyOutbound> {
  name: string;
  message: (change?: OutboundChange) => Message;
  provider(url: string, client: ReturnType<typeof createHttpClient>): Provider<Message>;
  read(taken: ReceivedRequest): Submission;
  replies: HttpReplies;
  /** Requests that submit nothing, and what they are always answered. */
  beside?: (taken: ReceivedRequest) => MockReply | null;
}

/** An adapter of an HTTP API. */
export interface HttpAdapter extends Adapter {
  /** The same with any reply. */
  openWith(
    reply: MockReply,
  ): Promise<ConnectedAdapter & { reply(next: MockReply): void; taken: ReceivedRequest[] }>;
  read(taken: ReceivedRequest): Submission;
  replies: HttpReplies;
}

export function httpAdapter<Message extends AnyOutbound>(it: HttpBench<Message>): HttpAdapter {
  const openWith = async (first: MockReply) => {
    const api = await mockApi(first, it.beside);
    const client = createHttpClient();
    onTestFinished(() => client.destroy());
    let provider = it.provider(api.url, client);
    const submitted = () => api.taken.filter(({ method }) => method === 'POST');
    return {
      send: (change: OutboundChange = {}, signal = AbortSignal.timeout(60_000)) =>
        provider.send(it.message(change), signal),
      async behave(manner: ServerBehaviour) {
        if (manner === 'refuses the connection') provider = it.provider('http://127.0.0.1:1', client);
        else if (manner === 'closes the connection after the request')
          api.reply('closes the connection after the body');
        else if (manner === 'never answers') api.reply('never answers');
        else api.reply(it.replies[manner]);
      },
      submissions: () => submitted().map(it.read),
      reply: api.reply,
      get taken() {
        return submitted();
      },
    };
  };
  const { name, read, replies } = it;
  return { name, open: () => openWith(replies['accepts the message']), openWith, read, replies };
}

const settings = (env: Record<string, string>) => readConfig(env).providerSettings;
const deps = (client: ReturnType<typeof createHttpClient>) => ({ client, callMs: CALL_MS });
const never = (): never => {
  throw new Error('another provider was read');
};

export const postmarkAdapter = httpAdapter({
  name: 'postmark',
  message: sampleEmail,
  provider(url, client) {
    const { email: chosen } = settings(postmarkEnv(url));
    return chosen.provider === 'postmark' ? postmarkEmail(chosen, deps(client)) : never();
  },
  read({ body }) {
    const { From, To, Metadata } = JSON.parse(body);
    return { reference: Metadata.waypost_reference, from: From, to: To, whole: body };
  },
  replies: {
    'accepts the message': {
      status: 200,
      body: {
        To: 'ann@example.com',
        SubmittedAt: '2026-08-20T09:15:00Z',
        MessageID: 'pm-1',
        ErrorCode: 0,
        Message: 'OK',
      },
    },
    'is busy': { status: 429, body: { ErrorCode: 429, Message: 'Rate limit exceeded' } },
    'refuses the message': { status: 422, body: { ErrorCode: 300, Message: 'Invalid email request' } },
    'refuses the credentials': { status: 401, body: { ErrorCode: 10, Message: 'Bad or missing API token' } },
    'refuses the sender': { status: 422, body: { ErrorCode: 400, Message: 'Sender signature not found' } },
  },
});

export const resendAdapter = httpAdapter({
  name: 'resend',
  message: sampleEmail,
  provider(url, client) {
    const { email: chosen } = settings(resendEnv(url));
    return chosen.provider === 'resend' ? resendEmail(chosen, deps(client)) : never();
  },
  read({ body, headers }) {
    const { from, to, tags } = JSON.parse(body);
    return { reference: tags[0].value, from, to: to.join(), whole: `${headers['idempotency-key']} ${body}` };
  },
  replies: {
    'accepts the message': { status: 200, body: { id: 're-1' } },
    'is busy': {
      status: 429,
      body: { statusCode: 429, name: 'rate_limit_exceeded', message: 'Too many requests' },
    },
    'refuses the message': {
      status: 422,
      body: { statusCode: 422, name: 'validation_error', message: 'Invalid `to`' },
    },
    'refuses the credentials': {
      status: 403,
      body: { statusCode: 403, name: 'invalid_api_key', message: 'API key is invalid' },
    },
    'refuses the sender': {
      status: 403,
      body: {
        statusCode: 403,
        name: 'validation_error',
        message: 'The waypost.example domain is not verified.',
      },
    },
  },
});

const sesError = (status: number, type: string, message = ''): MockReply => ({
  status,
  headers: { 'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/com.amazonaws.services.sesv2/` },
  body: { message },
});

export const sesAdapter = httpAdapter({
  name: 'ses',
  message: sampleEmail,
  provider(url, client) {
    const { email: chosen } = settings(sesEnv(url));
    return chosen.provider === 'ses'
      ? sesEmail(chosen, { ...deps(client), wallClock: systemClock })
      : never();
  },
  read({ body }) {
    const { FromEmailAddress, Destination, EmailTags } = JSON.parse(body);
    return {
      reference: EmailTags[0].Value,
      from: FromEmailAddress,
      to: Destination.ToAddresses.join(),
      whole: body,
    };
  },
  replies: {
    'accepts the message': { status: 200, body: { MessageId: 'ses-1' } },
    'is busy': sesError(429, 'TooManyRequestsException'),
    'refuses the message': sesError(400, 'MessageRejected', 'Illegal content'),
    'refuses the credentials': sesError(403, 'SignatureDoesNotMatch'),
    'refuses the sender': sesError(
      400,
      'MessageRejected',
      'Email address is not verified. The following identities failed the check in region EU-WEST-1: updates@waypost.example',
    ),
  },
});
export { sesError };

export const twilioError = (status: number, code: number): MockReply => ({
  status,
  body: { code, message: 'No.', more_info: `https://www.twilio.com/docs/errors/${code}`, status },
});

const twilioTaken: MockReply = {
  status: 201,
  body: {
    sid: `SM${'1'.repeat(32)}`,
    status: 'queued',
    error_code: null,
    num_segments: '1',
    to: '+447700900123',
  },
};

const readTwilio = ({ body }: ReceivedRequest): Submission => {
  const form = new URLSearchParams(body);
  const reference = new URL(form.get('StatusCallback') ?? '').searchParams.get('ref');
  return {
    reference,
    from: form.get('From') ?? form.get('MessagingServiceSid') ?? '',
    to: form.get('To') ?? '',
    whole: body,
  };
};

export const twilioSmsAdapter = httpAdapter({
  name: 'twilio sms',
  message: sampleText,
  provider(url, client) {
    const { sms } = settings(twilioSmsEnv(url));
    return sms.provider === 'twilio'
      ? twilioSms(sms, { ...deps(client), callbackUrl: CALLBACK_URL })
      : never();
  },
  read: readTwilio,
  replies: {
    'accepts the message': twilioTaken,
    'is busy': twilioError(429, 20429),
    'refuses the message': twilioError(400, 21211),
    'refuses the credentials': twilioError(401, 20003),
    'refuses the sender': twilioError(400, 21606),
  },
});

/** The account's content templates, as Twilio lists them. */
export const CONTENT = {
  contents: [
    {
      sid: `HX${'2'.repeat(32)}`,
      friendly_name: 'waypost_order_shipped_v1',
      language: 'en',
      types: { 'twilio/text': { body: 'Update from {{1}}' } },
      approval_requests: { name: 'waypost_order_shipped_v1', category: 'UTILITY', status: 'approved' },
    },
  ],
  meta: { next_page_url: null },
};

const still: Clock = { now: () => systemClock.now() };

export const twilioWhatsappAdapter = httpAdapter({
  name: 'twilio whatsapp',
  message: sampleWhatsapp,
  provider(url, client) {
    const { whatsapp: chosen } = settings(twilioWhatsappEnv(url));
    if (chosen.provider !== 'twilio') return never();
    return twilioWhatsapp(chosen, { ...deps(client), clock: still, callbackUrl: CALLBACK_URL });
  },
  read: readTwilio,
  beside: ({ path }) => (path.startsWith('/v1/ContentAndApprovals') ? { status: 200, body: CONTENT } : null),
  replies: {
    'accepts the message': twilioTaken,
    'is busy': twilioError(429, 63018),
    'refuses the message': twilioError(400, 63013),
    'refuses the credentials': twilioError(401, 20003),
    'refuses the sender': twilioError(400, 63007),
  },
});

export const metaError = (status: number, code: number, subcode = 0): MockReply => ({
  status,
  body: {
    error: {
      message: `(#${code}) No.`,
      type: 'OAuthException',
      code,
      error_subcode: subcode,
      fbtrace_id: 'A1',
    },
  },
});

export const metaAdapter = httpAdapter({
  name: 'meta',
  message: sampleWhatsapp,
  provider(url, client) {
    const { whatsapp: chosen } = settings(metaEnv(url));
    return chosen.provider === 'meta' ? metaWhatsapp(chosen, deps(client)) : never();
  },
  read({ body, path }) {
    const { to, biz_opaque_callback_data: reference } = JSON.parse(body);
    return { reference, from: path.split('/')[2] ?? '', to: `+${to}`, whole: body };
  },
  replies: {
    'accepts the message': {
      status: 200,
      body: {
        messaging_product: 'whatsapp',
        contacts: [{ input: '447700900123', wa_id: '447700900123' }],
        messages: [{ id: 'wamid.1', message_status: 'accepted' }],
      },
    },
    'is busy': metaError(400, 130429),
    'refuses the message': metaError(400, 131009),
    'refuses the credentials': metaError(401, 190),
    'refuses the sender': metaError(400, 131045),
  },
});

export const SMTP_SCRIPTS: Record<Exclude<ServerBehaviour, 'refuses the connection'>, SmtpScript> = {
  'accepts the message': {},
  'is busy': { rcpt: '451 4.7.1 try again later' },
  'refuses the message': { end: '554 5.6.0 no' },
  'refuses the credentials': { auth: '535 5.7.8 wrong' },
  'refuses the sender': { mail: '550 5.7.1 not yours to send from' },
  'closes the connection after the request': { end: 'hangs up' },
  'never answers': { end: 'never answers' },
};

export const smtpAdapter: Adapter & {
  openWith(
    script: SmtpScript,
  ): Promise<ConnectedAdapter & { follow(script: SmtpScript): void; said: string[] }>;
} = {
  name: 'smtp',
  open: () => smtpAdapter.openWith({}),
  async openWith(script) {
    const server = await mockSmtp(script);
    const open = (port: number) => {
      const env = { ...smtpEnv(port), SMTP_USER: 'waypost', SMTP_PASSWORD: 'secret' };
      const { email: chosen } = settings(env);
      if (chosen.provider !== 'smtp') return never();
      const made = smtpEmail(chosen, { wallClock: systemClock, callMs: CALL_MS });
      onTestFinished(() => made.close());
      return made;
    };
    let provider = open(server.port);
    return {
      send: (change = {}, signal = AbortSignal.timeout(60_000)) => provider.send(sampleEmail(change), signal),
      async behave(manner) {
        if (manner === 'refuses the connection') provider = open(1);
        else server.follow(SMTP_SCRIPTS[manner]);
      },
      submissions: () =>
        server.taken.map(({ from, to, mail }) => ({
          reference: /^Message-ID:\s+<(.*)@/im.exec(mail)?.[1] ?? null,
          from,
          to,
          whole: mail,
        })),
      follow: server.follow,
      said: server.said,
    };
  },
};

/** All of them. */
export const ADAPTERS: readonly Adapter[] = [
  smtpAdapter,
  sesAdapter,
  postmarkAdapter,
  resendAdapter,
  twilioSmsAdapter,
  metaAdapter,
  twilioWhatsappAdapter,
];
