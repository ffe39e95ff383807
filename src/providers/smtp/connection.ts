import { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { SECOND } from '../../kit/clock.ts';
import { at, textAt } from '../../kit/json.ts';
import type { SmtpFailure } from './answers.ts';
import type { SmtpSettings } from './settings.ts';

const CONNECT_MS = 5 * SECOND;
const GREETING_MS = 5 * SECOND;
const SILENCE_MS = 15 * SECOND;
const MAX_REPLY_BYTES = 16 * 1024;

export type SmtpResult = { accepted: true; response: string } | { accepted: false; failure: SmtpFailure };

/**
 * One connection to the mail server, for one mail at a time. nodemailer's own pool is unusable here: it submits a
 * mail again when a connection breaks, even if the server may have accepted it.
 */
export class SmtpConnection {
  readonly #settings: SmtpSettings;
  readonly #connection: SMTPConnection;
  #over = false;
  mails = 0;

  constructor(settings: SmtpSettings) {
    this.#settings = settings;
    const { host, port, security, authorities } = settings;
    this.#connection = new SMTPConnection({
      host,
      port,
      secure: security === 'tls',
      requireTLS: security === 'starttls',
      ignoreTLS: security === 'none',
      tls: { minVersion: 'TLSv1.2', ...(authorities === null ? {} : { ca: authorities }) },
      connectionTimeout: CONNECT_MS,
      dnsTimeout: CONNECT_MS,
      greetingTimeout: GREETING_MS,
      socketTimeout: SILENCE_MS,
      maxResponseSize: MAX_REPLY_BYTES,
    });
    this.#connection.once('end', () => {
      this.#over = true;
    });
    // The calls below report errors to their callers; any other error only ends the connection.
    this.#connection.on('error', () => {
      this.#over = true;
    });
  }

  /** The server closed the connection, or it failed. */
  get isOver(): boolean {
    return this.#over;
  }

  /** Connects and signs in; null on success. */
  async open(signal: AbortSignal): Promise<SmtpFailure | null> {
    const failed = await this.#until<SmtpFailure | null>(
      signal,
      (settle) => {
        const fail = (error: unknown) => settle(failureOf(error, false));
        this.#connection.once('error', fail);
        this.#connection.connect((error) => {
          const { login } = this.#settings;
          if (error) return fail(error);
          if (login === null) return settle(null);
          const { user, password: pass } = login;
          this.#connection.login({ user, pass }, (refused) => (refused ? fail(refused) : settle(null)));
        });
      },
      (code) => ({ code, command: 'CONN', reply: null, begun: false }),
    );
    if (failed !== null) this.close();
    return failed;
  }

  /** Submits one mail. After a failure the connection is closed, so that no half transaction remains on it. */
  async submit(from: string, to: string, mail: Buffer, signal: AbortSignal): Promise<SmtpResult> {
    const body = new Body(mail);
    const failure = (failed: SmtpFailure): SmtpResult => ({ accepted: false, failure: failed });
    const result = await this.#until<SmtpResult>(
      signal,
      (settle) => {
        const envelope = { from, to: [to], size: mail.length };
        this.#connection.send(envelope, body, (error, info) =>
          settle(
            error
              ? failure(failureOf(error, body.begun))
              : { accepted: true, response: info?.response ?? '' },
          ),
        );
      },
      (code) => failure({ code, command: null, reply: null, begun: body.begun }),
    );
    this.mails += 1;
    if (!result.accepted) this.close();
    return result;
  }

  /** Ends the connection with a goodbye. */
  quit(): void {
    this.#over = true;
    this.#connection.quit();
  }

  close(): void {
    this.#over = true;
    this.#connection.close();
  }

  /** Settles once: by the work, by the signal, or when the connection ends. */
  #until<T>(signal: AbortSignal, work: (settle: (result: T) => void) => void, cut: (code: string) => T) {
    return new Promise<T>((resolve) => {
      const onAbort = () => settle(cut('timeout'));
      const onEnd = () => settle(cut('ECONNECTION'));
      const settle = (result: T) => {
        signal.removeEventListener('abort', onAbort);
        this.#connection.off('end', onEnd);
        resolve(result);
      };
      if (signal.aborted) return resolve(cut('timeout'));
      signal.addEventListener('abort', onAbort, { once: true });
      this.#connection.once('end', onEnd);
      work(settle);
    });
  }
}

/**
 * The mail's body. The client reads it only after the server's go-ahead to DATA; from then on the server may
 * accept the mail.
 */
class Body extends Readable {
  readonly #mail: Buffer;
  begun = false;

  constructor(mail: Buffer) {
    super();
    this.#mail = mail;
  }

  override pipe<T extends NodeJS.WritableStream>(target: T, options?: { end?: boolean }): T {
    this.begun = true;
    return super.pipe(target, options);
  }

  override _read(): void {
    this.push(this.#mail);
    this.push(null);
  }
}

function failureOf(error: unknown, begun: boolean): SmtpFailure {
  const code = at(error, 'responseCode');
  return {
    code: textAt(error, 'code') ?? 'failed',
    command: textAt(error, 'command'),
    reply: typeof code === 'number' ? { code, text: textAt(error, 'response') ?? '' } : null,
    begun,
  };
}
