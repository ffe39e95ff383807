import { get, type IncomingMessage } from 'node:http';
import type { TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';

/** A form as a page of ours sends it. */
export const SAME_ORIGIN_FORM = {
  'sec-fetch-site': 'same-origin',
  'content-type': 'application/x-www-form-urlencoded',
};

/** The two links of the mail that tells of a message. */
export interface MailLinks {
  /** Path of the inbox link. */
  inbox: string;
  /** Path of the unsubscribe link. */
  unsubscribe: string;
}

/** A shop pushes to this address; answers the links of the mail. */
export async function linksOfMailTo(service: TestService, shop: Shop, email: string): Promise<MailLinks> {
  const { id } = await shop.pushed({ recipient_email: email });
  const mail = await eventually(async () => {
    const captured = await capturedMessages(service.url, { to: email, channel: 'email' });
    const found = captured.find(({ message_id }) => message_id === id);
    if (!found) throw new Error('the mail has not gone out');
    return found;
  });
  const path = (url = ''): string => new URL(url).pathname;
  return {
    inbox: path(/https?:\/\/\S+\/i\/\S+/.exec(mail.text)?.[0]),
    unsubscribe: path(/<(.+?)>/.exec(mail.headers['List-Unsubscribe'] ?? '')?.[1]),
  };
}

/** Follows the inbox link; answers the session's cookie. */
export async function openInboxLink({ url }: TestService, link: string): Promise<string> {
  const answer = await fetch(url + link, { method: 'POST', redirect: 'manual', headers: SAME_ORIGIN_FORM });
  if (answer.status !== 303) throw new Error(`the link answered ${answer.status}`);
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

export interface LiveStream {
  status: number;
  isOver(): boolean;
  hangUp(): void;
}

/** A live stream on a connection of its own. */
export async function openLiveStream({ url }: TestService, cookie: string): Promise<LiveStream> {
  const request = get(`${url}/inbox/live`, { agent: false, headers: { cookie } });
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).once('error', reject);
  });
  answer.on('error', () => {}).resume();
  return {
    status: answer.statusCode ?? 0,
    isOver: () => answer.closed,
    hangUp: () => void request.destroy(),
  };
}
