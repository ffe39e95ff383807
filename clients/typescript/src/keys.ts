/** What a header can carry as it is. */
const SENDABLE = /^[\x20-\x7e]+$/;

/** The key, or a TypeError at once: `fetch` would refuse it too, and look like a connection that fails. */
export function sendableKey(name: string, key: unknown): string {
  if (typeof key !== 'string' || key === '') throw new TypeError(`${name} must be a text that is not empty`);
  if (SENDABLE.test(key)) return key;
  throw new TypeError(
    `${name} has a character that no header can carry, such as a line break or "ä": use printable ASCII`,
  );
}

/** The secrets of an endpoint, or a TypeError. */
export function secretsOf(caller: string, secret: string | readonly string[]): string[] {
  const secrets = [secret].flat();
  if (secrets.length > 0 && secrets.every((one) => typeof one === 'string' && one !== '')) return secrets;
  throw new TypeError(`${caller} needs the secret of the endpoint: whsec_… (is its variable set?)`);
}
