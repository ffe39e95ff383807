import type { Channel } from '../../src/contract/channels.ts';
import type { DeliveryReport, ReportStatus } from '../../src/providers/callbackContent.ts';
import { inOrder } from '../../src/providers/inOrder.ts';
import type { AnyOutbound, Provider, ProviderResponse, Providers } from '../../src/providers/provider.ts';
import type { Random } from './random.ts';
import type { SimulationScheduler } from './scheduler.ts';

/** One call as the provider saw it. */
export interface SimulatedCall {
  message: AnyOutbound;
  /** The provider accepted it, so it will reach the person. */
  taken: boolean;
  /** The provider's response, if any. */
  answer: ProviderResponse | 'silence';
  healing: boolean;
}

export interface SimulatedProvidersDeps {
  random: Random;
  scheduler: () => SimulationScheduler;
  count: (what: string) => void;
  /** Called when a call reaches the provider, to check that it was permitted. */
  onCall: (message: AnyOutbound) => void;
  healing: () => boolean;
}

const TIMEOUT_MS = 10_000;
const MANY = 50;

/** Providers that accept, refuse, respond, hang and report as the seed decides, and log everything. */
export class SimulatedProviders {
  readonly calls: SimulatedCall[] = [];
  /** Reports that are not delivered yet. */
  readonly pendingReports: DeliveryReport[] = [];
  readonly byChannel: Providers;
  /** Every report that was delivered at least once, by the reference of its send. */
  readonly reported = new Map<string, Set<ReportStatus>>();
  readonly #deps: SimulatedProvidersDeps;

  constructor(deps: SimulatedProvidersDeps) {
    this.#deps = deps;
    this.byChannel = {
      email: this.#inOrder('email', 'simulated', 'second'),
      sms: this.#inOrder('sms', 'simulated', 'second'),
      whatsapp: this.#inOrder('whatsapp', 'simulated'),
    };
  }

  callsOf(sendId: string): SimulatedCall[] {
    return this.calls.filter(({ message }) => message.sendId === sendId);
  }

  /** Traffic goes to any of them first. */
  #inOrder<Message extends AnyOutbound>(channel: Channel, ...names: string[]): Provider<Message> {
    const first = () => names[this.#deps.random.below(names.length)] ?? null;
    const providers = names.map((name) => this.#provider<Message>(channel, name));
    return inOrder(providers, { traffic: { first, called: () => {} } });
  }

  #provider<Message extends AnyOutbound>(channel: Channel, name: string): Provider<Message> {
    return {
      name,
      maxConcurrent: MANY,
      timeoutMs: TIMEOUT_MS,
      send: async (message) => {
        const label = `provider ${name} ${channel} ${message.sendId} attempt ${message.attempt}`;
        const call: { made: SimulatedCall | null } = { made: null };
        await this.#deps.scheduler().run('provider', label, null, async () => {
          this.#deps.onCall(message);
          call.made = this.#take(channel, message);
        });
        const answer = call.made?.answer ?? 'silence';
        // Without a response the caller waits until its own timeout.
        return answer === 'silence' ? new Promise<ProviderResponse>(() => {}) : answer;
      },
    };
  }

  #take(channel: Channel, message: AnyOutbound): SimulatedCall {
    const { random, count } = this.#deps;
    const healing = this.#deps.healing();
    const { name, taken, answer } = healing ? ACCEPTS(message) : this.#choose(channel, message);
    count(`provider ${name}`);
    const call = { message, taken, answer, healing };
    this.calls.push(call);
    if (taken) this.#planReports(channel, message, random.weighted(REPORTS[channel]));
    return call;
  }

  #choose(channel: Channel, message: AnyOutbound): Behaviour {
    const { random } = this.#deps;
    const refused = (because: 'busy' | 'message' | 'stopped' | 'over_limits'): Behaviour => ({
      name: `refuses: ${because}`,
      taken: false,
      answer: { outcome: 'refused', because, errorCode: 'no' },
    });
    const special: Behaviour =
      channel === 'whatsapp'
        ? {
            name: 'refuses: not on WhatsApp',
            taken: false,
            answer: { outcome: 'refused', because: 'not_on_whatsapp', errorCode: '63024' },
          }
        : channel === 'email'
          ? {
              name: 'refuses: bad address',
              taken: false,
              answer: { outcome: 'refused', because: 'address', errorCode: '550' },
            }
          : refused('stopped');
    return random.weighted([
      [40, ACCEPTS(message)],
      [6, refused('busy')],
      [5, refused('over_limits')],
      [5, refused('message')],
      [channel === 'whatsapp' ? 20 : 8, special],
      [
        12,
        { name: 'not reached', taken: false, answer: { outcome: 'not_taken', errorCode: 'ECONNREFUSED' } },
      ],
      [5, { name: 'not set up', taken: false, answer: NOT_SET_UP }],
      [5, { name: 'takes it, answer lost', taken: true, answer: LOST }],
      [3, { name: 'takes nothing, answer lost', taken: false, answer: LOST }],
      [4, { name: 'takes it and hangs', taken: true, answer: 'silence' }],
      [3, { name: 'hangs', taken: false, answer: 'silence' }],
    ]);
  }

  #planReports(channel: Channel, message: AnyOutbound, statuses: readonly ReportStatus[]): void {
    const { random } = this.#deps;
    for (const status of statuses) {
      const report: DeliveryReport = {
        provider: 'simulated',
        reportId: `${message.sendId} ${status} ${this.calls.length} ${this.pendingReports.length}`,
        reference: message.reference,
        status,
        errorCode: status === 'delivered' || status === 'read' ? null : `${channel}.told`,
        permanent: status === 'bounced' && random.chance(0.5),
      };
      this.pendingReports.push(report);
      // Providers repeat reports, with the same id or with a new one.
      if (random.chance(0.2)) this.pendingReports.push(report);
      if (random.chance(0.1)) this.pendingReports.push({ ...report, reportId: null });
    }
  }

  /** Takes any pending report: they arrive in no order. */
  takeReport(): DeliveryReport {
    const place = this.#deps.random.below(this.pendingReports.length);
    const [report] = this.pendingReports.splice(place, 1);
    if (!report) throw new Error('no report is under way');
    const sendId = report.reference.split('-')[1] ?? '';
    const told = this.reported.get(sendId) ?? new Set();
    told.add(report.status);
    this.reported.set(sendId, told);
    return report;
  }
}

interface Behaviour {
  name: string;
  taken: boolean;
  answer: ProviderResponse | 'silence';
}

const ACCEPTS = ({ sendId, attempt }: AnyOutbound): Behaviour => ({
  name: 'accepts',
  taken: true,
  answer: { outcome: 'accepted', providerId: `${sendId}.${attempt}` },
});
const LOST: ProviderResponse = { outcome: 'unknown', errorCode: 'ECONNRESET' };
const NOT_SET_UP: ProviderResponse = {
  outcome: 'not_set_up',
  concerns: 'account',
  errorCode: '401',
  sentence: 'The key is wrong.',
};

type Told = readonly (readonly [number, readonly ReportStatus[]])[];

const REPORTS: Record<Channel, Told> = {
  email: [
    [50, ['delivered']],
    [10, []],
    [10, ['bounced']],
    [8, ['delivered', 'bounced']],
    [8, ['delivered', 'complained']],
    [5, ['complained']],
    [5, ['failed']],
  ],
  sms: [
    [50, ['delivered']],
    [10, []],
    [12, ['failed']],
    [10, ['rejected']],
    [8, ['delivered', 'failed']],
  ],
  whatsapp: [
    [30, ['delivered', 'read']],
    [20, ['delivered']],
    [15, []],
    [15, ['failed']],
    [8, ['rejected']],
    [6, ['failed', 'delivered']],
  ],
};

/** A text's or mail's link into the inbox, as the person who got it sees it. */
export const linkTokenIn = ({ text }: AnyOutbound): string | null =>
  /\/i\/([A-Za-z0-9_-]{22})/.exec(text)?.[1] ?? null;
