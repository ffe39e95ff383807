import type { Settings } from '../businesses/settings.ts';
import type { OrderStatus } from '../contract/orderStatuses.ts';
import type { Pool } from '../db/pool.ts';
import type { Clock } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import type { Hasher } from '../kit/seal.ts';
import type { Language } from '../language/languages.ts';
import type { Previews } from '../push/preview.ts';
import type { Pushes } from '../push/pushes.ts';
import type { TextSource } from '../texts/defaults.ts';
import type { Tracking } from '../tracking/tracking.ts';
import type { ConnectionKind, StoredCall } from './kinds/kind.ts';
import type { KnownOrder } from './knownOrder.ts';
import type { ConnectionSettings } from './settings.ts';

export interface HandleDeps {
  pool: Pool;
  clock: Clock;
  hash: Hasher;
  pushes: Pick<Pushes, 'push'>;
  previews: Pick<Previews, 'preview'>;
  tracking: Pick<Tracking, 'report'>;
  log: Pick<Log, 'warn' | 'error'>;
}

export interface CallDeps extends HandleDeps {
  /** The shop's own text for a status, read together with those of the other calls in hand; null: it has none. */
  ownText(wanted: WantedText): Promise<TextSource | null>;
}

export interface WantedText {
  business_id: string;
  order_status: OrderStatus;
  language: Language;
}

/** A call with all that is needed to handle it. */
export interface CallToHandle {
  id: string;
  call: StoredCall;
  connection: { id: string; kind: ConnectionKind; settings: ConnectionSettings };
  business: Pick<Settings, 'id' | 'name' | 'language' | 'active' | 'trackingNudges'>;
  /** The store's id of the order. */
  storeOrder: string | null;
  attempts: number;
  before: KnownOrder | null;
  /** Nothing of it is sent: it came while the connection was watching, or the connection is not live now. */
  isWatched: boolean;
  /** A person runs it again. */
  isAgain: boolean;
}
