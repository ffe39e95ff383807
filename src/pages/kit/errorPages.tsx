import type { ErrorPage } from '../../api/failures.ts';
import { type ApiError, statusOf } from '../../kit/errors.ts';
import { ButtonLine } from './components.tsx';
import { notice, type Site } from './page.tsx';

/** Paths that programs call, by their first part. They get the error body, whatever they accept. */
const FOR_PROGRAMS = ['api', 'callbacks', 'healthz', 'readyz', 'metrics', 'page-assets'];

/** What a browser gets where no page of ours answers. */
export function errorPages(site: Site): ErrorPage {
  return (error, path) => {
    const [, first = ''] = path.split('/');
    if (FOR_PROGRAMS.includes(first) || /\.(json|yaml)$/.test(path)) return null;
    const { title, text } = wordsFor(error);
    return notice(site, title, [
      <p>{text}</p>,
      first === 'docs' ? (
        <ButtonLine href={site.to('/docs')} label="To the reference" />
      ) : (
        <ButtonLine href={site.to('/')} label="To the start page" />
      ),
      <p>
        Did a shop’s message lead you here? Open the link in its newest email. Do you work for a shop?{' '}
        <a href={site.to('/dashboard')}>Sign in to the dashboard</a>.
      </p>,
    ]);
  };
}

function wordsFor({ code }: ApiError): typeof NOT_UNDERSTOOD {
  const status = statusOf(code);
  return status >= 500 ? OUR_FAULT : (BY_STATUS[status] ?? NOT_UNDERSTOOD);
}

const OUR_FAULT = { title: 'Something went wrong on our side', text: 'Please try again in a moment.' };
const NOT_UNDERSTOOD = {
  title: 'This request was not understood',
  text: 'Nothing was changed. Go back, open the page again and repeat what you wanted to do.',
};
const BY_STATUS: Readonly<Record<number, typeof NOT_UNDERSTOOD>> = {
  403: { title: 'You may not see this', text: 'The address is for somebody else.' },
  404: { title: 'There is nothing here', text: 'The address is mistyped, or what was here is gone.' },
  429: { title: 'Too many requests', text: 'Please wait a minute, then try again.' },
};
