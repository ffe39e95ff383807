import { Dispatcher } from 'undici';
import { verify } from '../support/verifySignature.ts';
import type { Random } from './random.ts';
import { processTaskOf, type SimulationScheduler } from './scheduler.ts';
import { currentTask, runInTask } from './simulatedGlobals.ts';

/** A delivery as the merchant's server saw it. */
export interface ReceivedWebhook {
  endpointPath: string;
  eventId: string;
  type: string;
  body: string;
  signed: boolean;
  /** The response was a 2xx, even if it did not arrive. */
  taken: boolean;
}

export interface SimulatedReceiversDeps {
  random: Random;
  scheduler: () => SimulationScheduler;
  count: (what: string) => void;
  secretOf: (endpointPath: string) => string;
  isDead: (endpointPath: string) => boolean;
  healing: () => boolean;
}

type Behaviour = 'takes it' | 'refuses' | 'hangs' | 'takes it, answer lost' | 'resets';

/** The merchants' servers, in place of the network: each call waits for the scheduler and gets the seed's response. */
export class SimulatedReceivers extends Dispatcher {
  readonly received: ReceivedWebhook[] = [];
  readonly #deps: SimulatedReceiversDeps;

  constructor(deps: SimulatedReceiversDeps) {
    super();
    this.#deps = deps;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const strand = processTaskOf(currentTask());
    const { path } = options;
    const body = String(options.body);
    const header = headerOf(options.headers);
    void this.#deps
      .scheduler()
      .run('receiver', `receiver ${path} ${header('x-service-event')}`, null, async () => {
        const behaviour = this.#behaviour(path);
        this.#deps.count(`receiver ${behaviour}`);
        this.received.push({
          endpointPath: path,
          eventId: header('x-service-delivery'),
          type: header('x-service-event'),
          body,
          signed: verify(
            this.#deps.secretOf(path),
            header('x-service-signature'),
            body,
            Math.floor(Date.now() / 1000),
          ),
          taken: behaviour === 'takes it' || behaviour === 'takes it, answer lost',
        });
        return behaviour;
      })
      .then((behaviour) => runInTask(strand, () => answer(handler, behaviour)));
    return true;
  }

  #behaviour(path: string): Behaviour {
    const { random, healing, isDead } = this.#deps;
    if (isDead(path)) return 'refuses';
    if (healing()) return 'takes it';
    return random.weighted([
      [60, 'takes it'],
      [15, 'refuses'],
      [6, 'hangs'],
      [8, 'takes it, answer lost'],
      [8, 'resets'],
    ]);
  }
}

function answer(handler: Dispatcher.DispatchHandler, behaviour: unknown): void {
  if (behaviour === 'hangs') return;
  if (behaviour === 'takes it' || behaviour === 'refuses') {
    handler.onResponseStart?.(controller, behaviour === 'takes it' ? 204 : 500, {}, '');
    handler.onResponseEnd?.(controller, {});
  } else {
    const error = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    handler.onResponseError?.(controller, error);
  }
}

const controller: Dispatcher.DispatchController = {
  aborted: false,
  paused: false,
  reason: null,
  abort: () => {},
  pause: () => {},
  resume: () => {},
};

function headerOf(headers: Dispatcher.DispatchOptions['headers']): (name: string) => string {
  const entries = headers && !Array.isArray(headers) && !(Symbol.iterator in headers) ? headers : {};
  return (name) => String(entries[name] ?? '');
}
