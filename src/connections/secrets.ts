import type { Sealer } from '../kit/seal.ts';

export interface SealedSecrets {
  id: string;
  secret_sealed: Buffer | null;
  previous_secret_sealed: Buffer | null;
  previous_secret_until: Date | null;
}

/** A sealed secret opens only for its connection. */
export const connectionSecretContext = (connectionId: string): string => `connection:${connectionId}`;

/** Those that count now, the newest first. */
export function openSecrets(sealer: Sealer, stored: SealedSecrets, now: Date): string[] {
  const { previous_secret_until: until } = stored;
  const previous = until !== null && now < until ? stored.previous_secret_sealed : null;
  return [stored.secret_sealed, previous]
    .filter((sealed) => sealed !== null)
    .map((sealed) => sealer.open(sealed, connectionSecretContext(stored.id)));
}
