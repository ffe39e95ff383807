/** Of the holders of the number, the one that messaged it last gets the reply; one that never messaged it gets none. */
export function latestSubmitter<Candidate extends { submittedAt: Date | null }>(
  holders: readonly Candidate[],
): Candidate | null {
  const messaged = holders.filter(({ submittedAt }) => submittedAt !== null);
  const [latest] = messaged.toSorted((a, b) => Number(b.submittedAt) - Number(a.submittedAt));
  return latest ?? null;
}

/**
 * The same for a message to a business's own sender. The person chose that business, so consent is enough when the business
 * has not messaged the number yet. On the shared sender it is not: a business could claim consent to read others' replies.
 */
export const ownReply = <Candidate extends { submittedAt: Date | null; consents: boolean }>(
  holders: readonly Candidate[],
): Candidate | null => latestSubmitter(holders) ?? holders.find(({ consents }) => consents) ?? null;
