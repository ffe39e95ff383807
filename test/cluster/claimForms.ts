import { claimSendsAtOnce } from '../../src/outbox/claim.ts';
import type { ClaimSends } from '../../src/outbox/claimOnCluster.ts';
import { claimSendsOnCluster } from '../../src/outbox/claimOnCluster.ts';
import { claimDeliveriesAtOnce } from '../../src/webhooks/claim.ts';
import { type ClaimDeliveries, claimDeliveriesOnCluster } from '../../src/webhooks/claimOnCluster.ts';
import { CITUS_URL } from '../support/citus.ts';

/*
 * The forms of claiming that run on the database of this test run. The form for a cluster also runs on one Postgres; the form
 * for one Postgres does not run on a cluster.
 */

export const sendClaimForms: [form: string, ClaimSends][] = [
  ...(CITUS_URL ? [] : [['for one Postgres', claimSendsAtOnce] satisfies [string, ClaimSends]]),
  ['for a cluster', claimSendsOnCluster],
];

export const deliveryClaimForms: [form: string, ClaimDeliveries][] = [
  ...(CITUS_URL ? [] : [['for one Postgres', claimDeliveriesAtOnce] satisfies [string, ClaimDeliveries]]),
  ['for a cluster', claimDeliveriesOnCluster],
];

/** Situations per property: on a cluster each takes several times as long. */
export const SITUATIONS = CITUS_URL ? 15 : 40;
