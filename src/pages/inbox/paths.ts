import { trimEndChars } from '../../kit/trimEndChars.ts';

/** The inbox's paths, below the path of the public URL. */
export interface Paths {
  link(token: string): string;
  inbox(place?: { open?: string; before?: string }): string;
  openMessage(id: string): string;
  live(seen: string): string;
  newLink: string;
  choices: string;
  stopTexts: string;
  resumeTexts: string;
  stopWhatsapp: string;
  unsubscribe: string;
  unsubscribeByToken(token: string): string;
  /** A reply in the dashboard of its shop. */
  reply(businessId: string, id: string): string;
  signOut: string;
  signedOut: string;
  asset(name: string): string;
  /** `place` is a shop's id and the name of its logo. */
  logo(place: string): string;
}

export function inboxPaths(publicUrl: string): Paths {
  const base = trimEndChars(new URL(publicUrl).pathname, '/');
  const inbox = `${base}/inbox`;
  return {
    link: (token) => `${base}/i/${token}`,
    inbox: ({ open, before } = {}) => {
      const query = new URLSearchParams({
        ...(open ? { open } : {}),
        ...(before ? { before } : {}),
      }).toString();
      return `${inbox}${query ? `?${query}` : ''}${open ? `#m-${open}` : ''}`;
    },
    openMessage: (id) => `${inbox}/messages/${id}/open`,
    live: (seen) => `${inbox}/live?seen=${seen}`,
    newLink: `${inbox}/new-link`,
    choices: `${inbox}/choices`,
    stopTexts: `${inbox}/choices/stop-texts`,
    resumeTexts: `${inbox}/choices/resume-texts`,
    stopWhatsapp: `${inbox}/choices/stop-whatsapp`,
    unsubscribe: `${inbox}/choices/unsubscribe`,
    unsubscribeByToken: (token) => `${base}/unsubscribe/${token}`,
    reply: (businessId, id) => `${base}/dashboard/${businessId}/replies/${id}`,
    signOut: `${inbox}/sign-out`,
    signedOut: `${inbox}/signed-out`,
    asset: (name) => `${base}/inbox-assets/${name}`,
    logo: (place) => `${base}/logos/${place}`,
  };
}
