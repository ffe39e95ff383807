/** Whether a text is an https URL without a user or a password. */
export function isHttpsUrl(text: string): boolean {
  // The URL parser drops some of these silently, and the person would get another address than the one sent.
  if (/[\s\p{Cc}\p{Cf}\p{Cs}\\]/u.test(text) || !URL.canParse(text)) return false;
  const { protocol, username, password, hostname } = new URL(text);
  return protocol === 'https:' && username === '' && password === '' && hostname !== '';
}
