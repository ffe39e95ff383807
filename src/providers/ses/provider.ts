import { contentOf } from '../callbackContent.ts';
import { type CallbackDeps, type CallbackFormat, jsonIn, KiB } from '../callbackFormat.ts';
import type { ProviderKind } from '../kind.ts';
import type { OutboundEmail } from '../provider.ts';
import { readSesEvent } from './callback.ts';
import { checkSes } from './check.ts';
import { sesEmail } from './send.ts';
import type { SesSettings } from './settings.ts';
import { cachedCertificates, isFromSns, isSnsType, isSnsUrl, readSns } from './snsSignature.ts';

export const ses: ProviderKind<OutboundEmail, SesSettings> = {
  open: sesEmail,
  check: checkSes,
  callbacks: ({ topics }, deps) => (topics.length === 0 ? null : sesCallbacks(topics, deps)),
};

/** SNS messages have up to 256 KiB, which grow when they are escaped as JSON text. */
const BYTES_MAX = 768 * KiB;
const UNSUBSCRIBED = 'A topic of SES_SNS_TOPICS no longer sends its events here: subscribe it again.';

/** Events of Amazon SES, delivered by Amazon SNS. Anyone can subscribe a topic to this URL: only the configured topics count. */
function sesCallbacks(topics: readonly string[], { sns, log }: CallbackDeps): CallbackFormat {
  const load = cachedCertificates(sns.loadCertificate);
  return {
    bytesMax: BYTES_MAX,
    mayBeGenuine: ({ header }) =>
      isSnsType(header('x-amz-sns-message-type')) && topics.includes(header('x-amz-sns-topic-arn') ?? ''),
    async read(_request, body) {
      const message = readSns(jsonIn(body));
      if (message === null || !topics.includes(message.topic) || !(await isFromSns(message, load)))
        return null;
      switch (message.type) {
        case 'Notification':
          return readSesEvent(message);
        case 'SubscriptionConfirmation':
          if (message.subscribeUrl === null || !isSnsUrl(message.subscribeUrl)) return null;
          await sns.confirm(message.subscribeUrl);
          log.info({ provider: 'ses' }, 'SNS subscription confirmed');
          return contentOf({});
        default:
          return contentOf({ faults: [{ channel: 'email', about: 'sns', sentence: UNSUBSCRIBED }] });
      }
    },
  };
}
