import { type Clock, SECOND } from '../../kit/clock.ts';
import type { OutboundEmail, Provider, ProviderResponse } from '../provider.ts';
import { smtpResponse } from './answers.ts';
import { returnAddresses } from './bounces/returnAddress.ts';
import { SmtpConnection, type SmtpResult } from './connection.ts';
import { writeMail } from './mail.ts';
import type { SmtpSettings } from './settings.ts';

const CALL_MS = 20 * SECOND;
/** How long a connection is kept for the next mail; servers close it after a minute or more. */
const IDLE_MS = 10 * SECOND;
/** Some relays limit the mails per connection. */
const MAILS_PER_CONNECTION = 100;

interface SmtpDeps {
  /** For the Date of a mail, which its readers compare with their own clocks. */
  wallClock: Clock;
  /** For return addresses: the first signs them. */
  secretKeys: readonly string[];
  /** The limit of one call; shorter in tests. */
  callMs?: number;
}

/**
 * Mail over SMTP, on kept connections. SMTP has no delivery reports: an accepted mail stays accepted, unless it comes back to a
 * return address.
 */
export function smtpEmail(
  settings: SmtpSettings,
  { wallClock, secretKeys, callMs = CALL_MS }: SmtpDeps,
): Provider<OutboundEmail> & { close(): void } {
  const idleConnections = new IdleConnections();
  const { bounces } = settings;
  const addresses = bounces && returnAddresses(bounces.domain, secretKeys);

  const submit = async (message: OutboundEmail, signal: AbortSignal): Promise<ProviderResponse> => {
    const from = message.from ?? settings.from;
    const mail = await writeMail(message, from, wallClock.now(), message.dkim ?? settings.dkim);
    const envelopeFrom = addresses?.make(message.reference) ?? from;
    const kept = idleConnections.reuse();
    if (kept !== null) {
      const submitted = await kept.submit(envelopeFrom, message.to, mail, signal);
      if (submitted.accepted || !brokeBeforeSubmission(submitted)) return ended(kept, submitted);
      // The server closed the kept connection and surely accepted nothing: try a new one.
    }
    const connection = new SmtpConnection(settings);
    const failure = await connection.open(signal);
    if (failure !== null) return smtpResponse(failure);
    return ended(connection, await connection.submit(envelopeFrom, message.to, mail, signal));
  };

  const ended = (connection: SmtpConnection, submitted: SmtpResult): ProviderResponse => {
    if (!submitted.accepted) return smtpResponse(submitted.failure);
    idleConnections.keep(connection);
    return { outcome: 'accepted', providerId: idIn(submitted.response) };
  };

  return {
    name: 'smtp',
    maxConcurrent: settings.connections,
    timeoutMs: callMs + SECOND,
    send: (message, signal) => submit(message, AbortSignal.any([signal, AbortSignal.timeout(callMs)])),
    close: () => idleConnections.close(),
  };
}

const brokeBeforeSubmission = (submitted: SmtpResult): boolean =>
  !submitted.accepted &&
  !submitted.failure.begun &&
  submitted.failure.reply === null &&
  submitted.failure.code !== 'timeout' &&
  submitted.failure.code !== 'EMESSAGE';

/** The queue id that most servers name: `250 2.0.0 Ok: queued as 4F1A2B`. */
const idIn = (response: string): string =>
  /queued as ([\w.-]{1,64})/i.exec(response)?.[1] ?? /\bid=([\w.-]{1,64})/i.exec(response)?.[1] ?? 'accepted';

/** Idle connections, reused latest first, each for a short time. */
class IdleConnections {
  readonly #idle = new Map<SmtpConnection, NodeJS.Timeout>();

  reuse(): SmtpConnection | null {
    for (;;) {
      const connection = [...this.#idle.keys()].at(-1);
      if (connection === undefined) return null;
      this.#forget(connection);
      if (!connection.isOver) return connection;
    }
  }

  keep(connection: SmtpConnection): void {
    if (connection.mails >= MAILS_PER_CONNECTION || connection.isOver) {
      connection.close();
      return;
    }
    const timer = setTimeout(() => {
      this.#forget(connection);
      connection.close();
    }, IDLE_MS);
    timer.unref();
    this.#idle.set(connection, timer);
  }

  close(): void {
    for (const connection of this.#idle.keys()) {
      this.#forget(connection);
      connection.close();
    }
  }

  #forget(connection: SmtpConnection): void {
    clearTimeout(this.#idle.get(connection));
    this.#idle.delete(connection);
  }
}
