import type { SmtpSettings } from '../../config/providersEmail.ts';
import { type Clock, SECOND } from '../../kit/clock.ts';
import type { OutboundEmail, Provider, ProviderResponse } from '../provider.ts';
import { smtpAnswer } from './smtpAnswers.ts';
import { SmtpConnection, type SmtpResult } from './smtpConnection.ts';
import { writeMail } from './smtpMail.ts';

const CALL_MS = 20 * SECOND;
/** Kept this long for the next mail; servers hang up after a minute or more. */
const IDLE_MS = 10 * SECOND;
/** Some relays count the mails of a connection. */
const MAILS_A_LINE = 100;

export interface SmtpDeps {
  /** For the Date of a mail, which its readers compare with their own clocks. */
  wallClock: Clock;
  /** The limit of one call; shorter in tests. */
  callMs?: number;
}

/**
 * Mail over SMTP, on kept connections. There are no reports: a mail that the server took is accepted and stays so, and
 * its Message-ID, which holds our reference, is what a bounce in the sender's mailbox quotes.
 */
export function smtpEmail(
  settings: SmtpSettings,
  { wallClock, callMs = CALL_MS }: SmtpDeps,
): Provider<OutboundEmail> & { close(): void } {
  const lines = new IdleLines();

  const carry = async (message: OutboundEmail, signal: AbortSignal): Promise<ProviderResponse> => {
    const from = message.from ?? settings.from;
    const mail = await writeMail(message, from, wallClock.now(), settings.dkim);
    const kept = lines.take();
    if (kept !== null) {
      const carried = await kept.carry(from, message.to, mail, signal);
      if (carried.taken || !brokeBeforeItBegan(carried)) return ended(kept, carried);
      // The server had hung up meanwhile, and surely took nothing: a fresh line, as if this one had not been.
    }
    const line = new SmtpConnection(settings);
    const failure = await line.open(signal);
    if (failure !== null) return smtpAnswer(failure);
    return ended(line, await line.carry(from, message.to, mail, signal));
  };

  const ended = (line: SmtpConnection, carried: SmtpResult): ProviderResponse => {
    if (!carried.taken) return smtpAnswer(carried.failure);
    lines.keep(line);
    return { outcome: 'accepted', providerId: idIn(carried.response) };
  };

  return {
    name: 'smtp',
    maxConcurrent: settings.connections,
    timeoutMs: callMs + SECOND,
    send: (message, signal) => carry(message, AbortSignal.any([signal, AbortSignal.timeout(callMs)])),
    close: () => lines.close(),
  };
}

const brokeBeforeItBegan = (carried: SmtpResult): boolean =>
  !carried.taken &&
  !carried.failure.begun &&
  carried.failure.reply === null &&
  carried.failure.code !== 'timeout' &&
  carried.failure.code !== 'EMESSAGE';

/** The queue id that most servers name: `250 2.0.0 Ok: queued as 4F1A2B`. */
const idIn = (response: string): string =>
  /queued as ([\w.-]{1,64})/i.exec(response)?.[1] ?? /\bid=([\w.-]{1,64})/i.exec(response)?.[1] ?? 'accepted';

/** Lines that wait for their next mail, the latest first; none waits for long. */
class IdleLines {
  readonly #idle = new Map<SmtpConnection, NodeJS.Timeout>();

  take(): SmtpConnection | null {
    for (;;) {
      const line = [...this.#idle.keys()].at(-1);
      if (line === undefined) return null;
      this.#forget(line);
      if (!line.isOver) return line;
    }
  }

  keep(line: SmtpConnection): void {
    if (line.carried >= MAILS_A_LINE || line.isOver) {
      line.close();
      return;
    }
    const timer = setTimeout(() => {
      this.#forget(line);
      line.close();
    }, IDLE_MS);
    timer.unref();
    this.#idle.set(line, timer);
  }

  close(): void {
    for (const line of this.#idle.keys()) {
      this.#forget(line);
      line.close();
    }
  }

  #forget(line: SmtpConnection): void {
    clearTimeout(this.#idle.get(line));
    this.#idle.delete(line);
  }
}
