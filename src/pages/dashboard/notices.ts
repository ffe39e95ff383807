import type { OidcRefusal } from '../../members/oidcSignIn.ts';
import type { ShopVisit } from './context.ts';
import type { Notice } from './layout.tsx';

const OPEN_AGAIN = 'Nothing was changed. Open the page again and repeat what you wanted to do.';

const BACK = { href: '/dashboard', label: 'To the dashboard' } as const;
const notice = (status: number, title: string, text: string): Notice => ({ status, title, text, ...BACK });

export const NOTHING_HERE = notice(
  404,
  'There is nothing here',
  'The address is wrong, or it belongs to a shop that you are not a member of.',
);

/** For what was here a moment ago: in this tab, or in another one. */
const goneFrom =
  (page: string, title: string, text: string, label: string) =>
  ({ shop }: ShopVisit): Notice => ({
    status: 404,
    title,
    text,
    href: `/dashboard/${shop.id}${page}`,
    label,
  });

export const customerGone = goneFrom(
  '/recipients',
  'This customer is not here',
  'Nothing was changed. They were erased, or the address is wrong.',
  'To your customers',
);

export const replyGone = goneFrom(
  '/replies',
  'This reply is not here',
  'Replies are kept for 90 days, and go with a customer who is erased.',
  'To your replies',
);

export const endpointGone = goneFrom(
  '/webhooks',
  'This is not here',
  'Nothing was changed. The endpoint was deleted, the event is no longer kept, or the address is wrong.',
  'To your webhooks',
);

export const connectionGone = goneFrom(
  '/connections',
  'This is not here',
  'Nothing was changed. The connection was removed, the call is no longer kept, or the address is wrong.',
  'To your connections',
);

export const NOT_ALLOWED = notice(
  403,
  'Your role does not allow this',
  'An owner of the shop can do it, or give you another role.',
);

export const FOREIGN_FORM = notice(403, 'This form is out of date', OPEN_AGAIN);

export const wrongRequest = (status: number) =>
  notice(status, 'This request cannot be understood', OPEN_AGAIN);

export const TOO_LARGE = notice(
  413,
  'This is too large',
  'Nothing was changed. A logo may have 256 KiB at most; go back and choose a smaller file.',
);

export const tooManyDownloads = (status: number): Notice => ({
  status,
  title: 'Too many downloads at once',
  text: 'Nothing was downloaded. Wait until another download has finished, and then try again.',
  ...BACK,
  retrySeconds: 30,
});

export const trouble = (status: number, retrySeconds?: number): Notice => ({
  status,
  title: 'Something went wrong on our side',
  text: 'Please try again in a moment. Look whether the last thing you did has happened before you repeat it.',
  ...BACK,
  ...(retrySeconds !== undefined && { retrySeconds }),
});

const SIGN_IN = { href: '/dashboard/sign-in', label: 'Back to sign in' } as const;

export const LINK_UNUSABLE: Notice = {
  status: 404,
  title: 'This link does not work here',
  text: 'A link works once, within 15 minutes, and only in the browser where it was asked for.',
  href: '/dashboard/sign-in',
  label: 'Ask for a new link',
};

export const CODE_UNUSABLE =
  'This code does not work. Take the one of the newest mail; after five tries, or 15 minutes, ask for another mail.';

/** `host`: the issuer's. */
export function oidcFaultNotice(host: string, kind: 'unavailable' | 'cancelled' | 'refused'): Notice {
  if (kind === 'unavailable')
    return {
      status: 502,
      title: `${host} signs nobody in at the moment`,
      text: 'It did not answer, or not as it should. Try once more, or sign in by a mailed link.',
      ...SIGN_IN,
    };
  if (kind === 'cancelled')
    return {
      status: 403,
      title: `You were not signed in at ${host}`,
      text: 'Nothing was changed. Begin again, or sign in by a mailed link.',
      ...SIGN_IN,
    };
  return {
    status: 403,
    title: 'This sign-in does not work any more',
    text: `It took longer than ten minutes, was used before, or began in another browser. Begin again.`,
    ...SIGN_IN,
  };
}

const OIDC_REFUSALS: Readonly<Record<OidcRefusal, string>> = {
  no_verified_address: 'it gives no email address of yours that it has verified.',
  no_member: 'your address there is no member’s here. An owner of the shop can add it.',
  other_subject:
    'another account there signs in with this address. Ask the operator of this Waypost to change that.',
};

export const oidcRefusedNotice = (host: string, refusal: OidcRefusal): Notice => ({
  status: 403,
  title: 'You cannot sign in here',
  text: `${host} knows you, but ${OIDC_REFUSALS[refusal]}`,
  ...SIGN_IN,
});

/** Signed in, but what asks to sign in again would ask once more. */
export const oidcNotAgainNotice = (host: string): Notice => ({
  status: 403,
  title: 'Please sign in in another way',
  text: `${host} did not ask you again who you are. For the next step, sign in by a mailed link or a passkey.`,
  href: '/dashboard/sign-in-again',
  label: 'Sign in again',
});

export const PASSKEY_UNUSABLE: Notice = {
  status: 403,
  title: 'This passkey does not work here',
  text: 'It was removed from the account, or it took too long. Try once more, or sign in by a mailed link.',
  ...SIGN_IN,
};

export const tooManySignIns = (wait: 'ten minutes' | 'an hour'): Notice => ({
  status: 429,
  title: 'Too many attempts',
  text: `Please wait ${wait}, then try again.`,
  ...SIGN_IN,
  retrySeconds: wait === 'an hour' ? 3_600 : 600,
});
