import { type FailureKind, failureOf, type RecordedFailure } from '../../../webhooks/failures.ts';

/** A failed delivery for people of a shop: what happened, and what they can do about it. */
export interface FailureWords {
  message: string;
  advice: string;
}

const CERTIFICATE = 'Give the server a certificate of a public authority for this host name.';
const DEVELOPER = 'Look at the log of your server, or ask its developer.';

/** Every recorded reason without a number in it. */
const WORDS: Record<FailureKind, FailureWords> = {
  unresolved: {
    message: 'The host name of the URL was not found.',
    advice: 'Check how it is spelled, and that its DNS entry exists.',
  },
  unresolvedAtCreation: {
    message: 'The host name of the URL was not found when the endpoint was added.',
    advice: 'If its DNS entry is new, send a test. Otherwise check how it is spelled.',
  },
  notPublic: {
    message:
      'The host name was not found, or it leads to a private address, and we deliver to public addresses only.',
    advice:
      'Check the DNS entry: it must lead to an address that everybody can reach, and to no private one beside it.',
  },
  notHttps: {
    message: 'The URL is not HTTPS, and we deliver over HTTPS only.',
    advice: 'Change the URL to one that begins with https://.',
  },
  connectionRefused: {
    message: 'The server refused the connection.',
    advice: 'Check that it runs, listens on the port of the URL, and that no firewall turns us away.',
  },
  unreachable: {
    message: 'There is no way to the server’s address.',
    advice: 'Check that the DNS entry leads to the right address, and that the server is online.',
  },
  connectTimeout: {
    message: 'The server did not take the connection in time.',
    advice: 'Check that it is online, and that no firewall drops our connections without an answer.',
  },
  closed: {
    message: 'The server closed the connection without an answer.',
    advice: `Often it crashed, or a proxy before it gave up. ${DEVELOPER}`,
  },
  headersTooLarge: {
    message: 'The headers of the answer are too large.',
    advice: 'Answer with a plain 200 or 204. Cookies are not needed.',
  },
  notHttp: {
    message: 'The answer is not HTTP.',
    advice: 'Check the port of the URL: another program seems to listen there.',
  },
  tlsFailed: {
    message: 'No secure connection could be made.',
    advice: 'Check that the server offers TLS 1.2 or newer on the port of the URL.',
  },
  tlsExpired: {
    message: 'The certificate of the server has expired.',
    advice: 'Renew it, and check that it renews itself from now on.',
  },
  tlsNotYetValid: {
    message: 'The certificate of the server is not valid yet.',
    advice: 'Check the clock of the machine that made it, or wait until it is valid.',
  },
  tlsRevoked: { message: 'The certificate of the server was revoked.', advice: CERTIFICATE },
  tlsOtherName: {
    message: 'The certificate of the server is for another host name.',
    advice: 'Get one that names the host of the URL, or check that the URL leads to the right server.',
  },
  tlsSelfSigned: {
    message: 'The certificate of the server is self-signed, so nobody can tell whose it is.',
    advice: CERTIFICATE,
  },
  tlsIssuer: {
    message: 'The issuer of the server’s certificate is not trusted.',
    advice: `Often the server does not send the intermediate certificate. ${CERTIFICATE}`,
  },
  tlsInvalid: { message: 'The certificate of the server is not valid.', advice: CERTIFICATE },
  requestFailed: { message: 'The request failed.', advice: DEVELOPER },
  unanswered: {
    message: 'No answer was recorded.',
    advice:
      'The test is still under way, or we were interrupted. Look again in a moment, or send another one.',
  },
};

/** A recorded error in words. One of another version is shown as it is. */
export function failureWords(recorded: string): FailureWords {
  const failure = failureOf(recorded);
  return failure === null
    ? { message: `The delivery failed: ${recorded}.`, advice: DEVELOPER }
    : wordsFor(failure);
}

function wordsFor(failure: RecordedFailure): FailureWords {
  switch (failure.kind) {
    case 'port':
      return {
        message: `Port ${failure.port} is not one that we deliver to.`,
        advice: 'Change the URL to one on port 443 or 8443.',
      };
    case 'timeout':
      return {
        message: `The server did not answer within ${failure.seconds} seconds.`,
        advice: 'Answer first, with a 200 or 204, and do the work afterwards.',
      };
    case 'redirect':
      return {
        message: `The server answered ${failure.status}, a redirect, and we follow none.`,
        advice: 'Change it to the URL that it redirects to, which stands in the headers of the answer.',
      };
    case 'status':
      return wordsForStatus(failure.status);
    default:
      return WORDS[failure.kind];
  }
}

const NOT_ADMITTED =
  'Check that it asks for no sign-in, that no firewall stands before it, and that it checks the signature with the current secret.';
const NOTHING_THERE = 'Check the path of the URL: nothing answers there.';

/** What a status means, and what to do about this one in particular. */
const STATUSES: Readonly<Record<number, readonly [meaning: string, advice?: string]>> = {
  400: [', “bad request”'],
  401: [', “not authorised”', NOT_ADMITTED],
  403: [', “forbidden”', NOT_ADMITTED],
  404: [', “not found”', NOTHING_THERE],
  405: [', “method not allowed”', 'Make the path of the URL take POST.'],
  410: [', “gone”', NOTHING_THERE],
  413: [', “too large”', 'Let it take bodies of at least 64 KB.'],
  429: [', “too many requests”', 'Let it take our deliveries without a limit, or with a higher one.'],
  500: [', an error of its own'],
  502: [', a gateway without its program behind it'],
  503: [', “not available”'],
  504: [', a gateway that waited too long'],
};

function wordsForStatus(status: number): FailureWords {
  const [meaning = '', advice = generalAdvice(status)] = STATUSES[status] ?? [];
  return { message: `The server answered ${status}${meaning}.`, advice };
}

function generalAdvice(status: number): string {
  if (status >= 500) return `The fault is in your server. ${DEVELOPER}`;
  if (status >= 400) return `Your server does not accept the delivery. ${DEVELOPER}`;
  return 'Answer any status from 200 to 299 once you have the event.';
}
