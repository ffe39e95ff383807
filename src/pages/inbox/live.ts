import { isUnavailable } from '../../db/errors.ts';
import type { Queryable } from '../../db/statement.ts';
import { openChangeStreams } from '../../kit/changeStreams.ts';
import { type Clock, SECOND } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import type { Session } from './session.ts';
import { changeMarksOf } from './sql.ts';

type Viewer = Pick<Session, 'businessId' | 'recipientId' | 'id'>;

const POLL_EVERY_MS = 2 * SECOND;
export const STREAMS_MAX = 1_000;
export const STREAMS_PER_RECIPIENT_MAX = 8;

/** Says to open inboxes that something changed in them. */
export const openLive = ({ pool, clock, log }: { pool: Queryable; clock: Clock; log: Log }) =>
  openChangeStreams<Viewer>({
    name: 'inbox',
    log,
    async marksOf(viewers) {
      const rows = await changeMarksOf(
        pool,
        viewers.map(({ businessId }) => businessId),
        viewers.map(({ id }) => id),
        clock.now(),
      );
      const prints = new Map(rows.map((row) => [row.session_id, row.print]));
      return new Map(
        viewers.flatMap((viewer) => {
          const print = prints.get(viewer.id);
          return print === undefined ? [] : [[viewer, print] as const];
        }),
      );
    },
    isOutage: isUnavailable,
    pollEveryMs: POLL_EVERY_MS,
    quietMsOf: () => 0,
    streamsMax: STREAMS_MAX,
    perOwnerMax: STREAMS_PER_RECIPIENT_MAX,
    ownerOf: ({ businessId, recipientId }) => `${businessId} ${recipientId}`,
    businessOf: ({ businessId }) => businessId,
  });
