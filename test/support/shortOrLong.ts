/**
 * How often a test repeats what it does: few times in `npm test`, many in `npm run test:long`, which runs exactly the
 * test files that import this, themselves or by way of their helpers.
 */
export const shortOrLong = (short: number, long: number): number =>
  process.env.TEST_LENGTH === 'long' ? long : short;
