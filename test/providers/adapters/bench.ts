import { onTestFinished } from 'vitest';
import { readConfig } from '../../../src/environment/config.ts';
import { systemClock } from '../../../src/kit/clock.ts';
import { createHttpClient } from '../../../src/providers/http.ts';
import type { OpenProvider, ProviderDeps } from '../../../src/providers/kind.ts';
import { emailProvider, smsProvider, whatsappProvider } from '../../../src/providers/kinds.ts';
import type {
  AnyOutbound,
  Outbound,
  OutboundEmail,
  OutboundText,
  OutboundWhatsapp,
  ProviderResponse,
} from '../../../src/providers/provider.ts';
import { type MockReply, mockApi, type ReceivedRequest } from '../mockApi.ts';

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

/** One adapter with a mock of its provider, whose answers the test sets. */
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

/** A channel: its message on the bench, and its provider as the variables choose it. */
export interface BenchChannel<Message extends AnyOutbound> {
  sample(change?: OutboundChange): Message;
  open(env: Record<string, string>, deps: ProviderDeps): OpenProvider<Message>;
}

export const EMAIL: BenchChannel<OutboundEmail> = {
  sample: sampleEmail,
  open: (env, deps) => only(readConfig(env).providerSettings.email.map(emailProvider)).open(deps),
};
export const SMS: BenchChannel<OutboundText> = {
  sample: sampleText,
  open: (env, deps) => only(readConfig(env).providerSettings.sms.map(smsProvider)).open(deps),
};
export const WHATSAPP: BenchChannel<OutboundWhatsapp> = {
  sample: sampleWhatsapp,
  open: (env, deps) => only(readConfig(env).providerSettings.whatsapp.map(whatsappProvider)).open(deps),
};

function only<Item>([item, ...others]: readonly Item[]): Item {
  if (item === undefined || others.length > 0) throw new Error('the variables choose not one provider');
  return item;
}

export const benchDeps = (client: ReturnType<typeof createHttpClient>): ProviderDeps => ({
  client,
  callMs: CALL_MS,
  clock: { now: () => systemClock.now() },
  wallClock: systemClock,
  publicUrl: 'https://waypost.example',
  secretKeys: ['k'.repeat(32)],
});

interface HttpBench<Message extends AnyOutbound> {
  name: string;
  /** What an operator sets, with the address of the mock. */
  env(url: string): Record<string, string>;
  channel: BenchChannel<Message>;
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
    const open = (url: string) => it.channel.open(it.env(url), benchDeps(client));
    let provider = open(api.url);
    const submitted = () => api.taken.filter(({ method }) => method === 'POST');
    return {
      send: (change: OutboundChange = {}, signal = AbortSignal.timeout(60_000)) =>
        provider.send(it.channel.sample(change), signal),
      async behave(manner: ServerBehaviour) {
        if (manner === 'refuses the connection') provider = open('http://127.0.0.1:1');
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
