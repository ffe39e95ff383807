import type { Site } from '../kit/page.tsx';
import { dashboardNotice } from './layout.tsx';

const BACK = { href: '/dashboard', label: 'To the dashboard' } as const;

export const nothingHerePage = (site: Site): string =>
  dashboardNotice({
    site,
    title: 'There is nothing here',
    text: 'The address is wrong, or it belongs to a shop that you are not a member of.',
    ...BACK,
  });

/** For a customer who was here a moment ago: in this tab, or in another one. */
export const customerGonePage = (site: Site, shopId: string): string =>
  dashboardNotice({
    site,
    title: 'This customer is not here',
    text: 'Nothing was changed. They were erased, or the address is wrong.',
    href: `/dashboard/${shopId}/recipients`,
    label: 'To your customers',
  });

export const replyGonePage = (site: Site, shopId: string): string =>
  dashboardNotice({
    site,
    title: 'This reply is not here',
    text: 'Replies are kept for 90 days, and go with a customer who is erased.',
    href: `/dashboard/${shopId}/replies`,
    label: 'To your replies',
  });

export const endpointGonePage = (site: Site, shopId: string): string =>
  dashboardNotice({
    site,
    title: 'This is not here',
    text: 'Nothing was changed. The endpoint was deleted, the event is no longer kept, or the address is wrong.',
    href: `/dashboard/${shopId}/webhooks`,
    label: 'To your webhooks',
  });

export const notAllowedPage = (site: Site): string =>
  dashboardNotice({
    site,
    title: 'Your role does not allow this',
    text: 'An owner of the shop can do it, or give you another role.',
    ...BACK,
  });

export const foreignFormPage = (site: Site): string =>
  dashboardNotice({
    site,
    title: 'This form is out of date',
    text: 'Nothing was changed. Open the page again and repeat what you wanted to do.',
    ...BACK,
  });

export const wrongRequestPage = (site: Site): string =>
  dashboardNotice({
    site,
    title: 'This request cannot be understood',
    text: 'Nothing was changed. Open the page again and repeat what you wanted to do.',
    ...BACK,
  });

export const tooLargePage = (site: Site): string =>
  dashboardNotice({
    site,
    title: 'This is too large',
    text: 'Nothing was changed. A logo may have 256 KiB at most; go back and choose a smaller file.',
    ...BACK,
  });

export const tooManyDownloadsPage = (site: Site): string =>
  dashboardNotice({
    site,
    title: 'Too many downloads at once',
    text: 'Nothing was downloaded. Wait until another download has finished, and then try again.',
    ...BACK,
  });

export const dashboardTroublePage = (site: Site): string =>
  dashboardNotice({
    site,
    title: 'Something went wrong on our side',
    text: 'Please try again in a moment. Look whether the last thing you did has happened before you repeat it.',
    ...BACK,
  });
