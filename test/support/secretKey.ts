/** Under which the webhook secrets of these tests are sealed, in every process. */
export const SECRET_KEY = 'a secret key of tests only';
