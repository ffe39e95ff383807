import { trimEndChars } from '../../kit/trimEndChars.ts';
import { withQuery } from '../kit/request.ts';

export type Paths = ReturnType<typeof inboxPaths>;

/** The inbox's paths, below the path of the public URL. */
export function inboxPaths(publicUrl: string) {
  const base = trimEndChars(new URL(publicUrl).pathname, '/');
  const inbox = `${base}/inbox`;
  return {
    link: (token: string) => `${base}/i/${token}`,
    inbox: ({ open, before }: { open?: string; before?: string } = {}) =>
      `${withQuery(inbox, { open, before })}${open ? `#at-${open}` : ''}`,
    openMessage: (id: string) => `${inbox}/messages/${id}/open`,
    live: (seen: string) => `${inbox}/live?seen=${seen}`,
    newLink: `${inbox}/new-link`,
    choices: `${inbox}/choices`,
    stopTexts: `${inbox}/choices/stop-texts`,
    resumeTexts: `${inbox}/choices/resume-texts`,
    stopWhatsapp: `${inbox}/choices/stop-whatsapp`,
    unsubscribe: `${inbox}/choices/unsubscribe`,
    unsubscribeByToken: (token: string) => `${base}/unsubscribe/${token}`,
    /** A reply in the dashboard of its shop. */
    reply: (businessId: string, id: string) => `${base}/dashboard/${businessId}/replies/${id}`,
    signOut: `${inbox}/sign-out`,
    signedOut: `${inbox}/signed-out`,
    asset: (name: string) => `${base}/inbox-assets/${name}`,
    /** `place` is a shop's id and the name of its logo. */
    logo: (place: string) => `${base}/logos/${place}`,
  };
}
