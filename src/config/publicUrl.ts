import ipaddr from 'ipaddr.js';

/** What is wrong with PUBLIC_URL where people get its links, and whether it stops the start. */
export function judgePublicUrl(
  publicUrl: string | null,
  {
    production,
    providers,
  }: { production: boolean; providers: Readonly<Record<'email' | 'sms' | 'whatsapp', readonly string[]>> },
) {
  if (!production || Object.values(providers).every((names) => names.includes('sandbox'))) return null;
  if (publicUrl === null) return { stopsStart: true, sentence: `PUBLIC_URL is not set: ${MUST_BE}.` };
  if (isThisMachine(publicUrl))
    return {
      stopsStart: true,
      sentence: `PUBLIC_URL is "${publicUrl}", which leads people to their own device: ${MUST_BE}.`,
    };
  if (new URL(publicUrl).protocol === 'https:') return null;
  return {
    stopsStart: false,
    sentence: 'PUBLIC_URL is http: the links that sign people in travel unencrypted.',
  };
}

const MUST_BE =
  'NODE_ENV is production and a provider is real, so it must be the https address that people reach';

/** Whether everybody who follows a link to this address ends up on their own machine. */
export function isThisMachine(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$|\.$/g, '');
  if (/(^|\.)localhost$/.test(host)) return true;
  return ipaddr.isValid(host) && ['loopback', 'unspecified'].includes(ipaddr.process(host).range());
}
