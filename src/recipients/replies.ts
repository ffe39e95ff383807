/**
 * The business that a reply is for: of those that hold the number, the one that wrote to it last. A business that never
 * wrote to the number gets no reply from it.
 */
export function latestSubmitter<Candidate extends { submittedAt: Date | null }>(
  holders: readonly Candidate[],
): Candidate | null {
  let latest: { candidate: Candidate; at: Date } | null = null;
  for (const candidate of holders) {
    const { submittedAt: at } = candidate;
    if (at !== null && (latest === null || at > latest.at)) latest = { candidate, at };
  }
  return latest?.candidate ?? null;
}

/**
 * The same for a message to a sender that is one business's own. The person chose that business, so consent is enough where the
 * business has not written to the number yet. On the shared sender it is not: a business could claim consent to read along.
 */
export const ownReply = <Candidate extends { submittedAt: Date | null; consents: boolean }>(
  holders: readonly Candidate[],
): Candidate | null => latestSubmitter(holders) ?? holders.find(({ consents }) => consents) ?? null;
