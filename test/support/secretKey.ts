/** The SECRET_KEY of tests: every process of a test seals and opens with the same one. */
export const SECRET_KEY = 'a secret key of tests only';
