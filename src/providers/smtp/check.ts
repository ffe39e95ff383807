import { SECOND } from '../../kit/clock.ts';
import { type Finding, finding } from '../askApi.ts';
import { smtpResponse } from './answers.ts';
import { SmtpConnection } from './connection.ts';
import type { SmtpSettings } from './settings.ts';

const WITHIN_MS = 15 * SECOND;

/** Connects, greets, begins TLS and signs in as a send does, and says goodbye before any mail. */
export async function checkSmtp(settings: SmtpSettings, withinMs = WITHIN_MS): Promise<Finding[]> {
  const { host, port, login } = settings;
  const connection = new SmtpConnection(settings);
  const failure = await connection.open(AbortSignal.timeout(withinMs));
  if (failure === null) {
    connection.quit();
    const signedIn = login === null ? '' : ' and accepts the sign-in';
    return [finding.good(`The mail server ${host}:${port} answers${signedIn}.`)];
  }
  const response = smtpResponse(failure);
  if (response.outcome === 'not_set_up') return [finding.wrong(response.sentence)];
  if (failure.reply !== null)
    return [
      finding.wrong(
        `The mail server ${host}:${port} turns us away (${failure.reply.code}): ask who runs it.`,
      ),
    ];
  const why = failure.code === 'timeout' ? 'no answer in time' : failure.code.toLowerCase();
  // The client does not tell a certificate that it does not trust from another failure of the connection.
  const orTls = settings.security === 'none' ? '' : ', or its certificate cannot be trusted';
  return [
    finding.wrong(
      `The mail server ${host}:${port} cannot be reached${orTls} (${why}): check SMTP_HOST, SMTP_PORT, SMTP_SECURITY, SMTP_CA and the network.`,
    ),
  ];
}
