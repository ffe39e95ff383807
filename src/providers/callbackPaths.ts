/** Where providers report, below PUBLIC_URL: one address each, to be entered with them. */
export const CALLBACK_PATHS = {
  twilio: '/callbacks/twilio',
  meta: '/callbacks/meta',
  ses: '/callbacks/ses',
  postmark: '/callbacks/postmark',
  resend: '/callbacks/resend',
} as const;

export type CallbackProvider = keyof typeof CALLBACK_PATHS;
