import { AggregatorRegistry } from 'prom-client';
import { type MetricsSnapshot, openMetricsText, withExemplars } from './openMetrics.ts';

type Snapshots = ReadonlyMap<number, MetricsSnapshot>;

/**
 * The metrics of several processes as those of one program. Counts go on after a process has ended, or Prometheus would take the smaller sum for a restart and count everything
 * again. So the last known counts of a process that ended, or that does not answer, stay in the sum.
 */
export function createMetricsOfProcesses() {
  const last = new Map<number, MetricsSnapshot>();
  let ofEnded: Promise<MetricsSnapshot> = Promise.resolve([]);

  const partsOf = async (snapshots: Snapshots): Promise<MetricsSnapshot[]> => {
    for (const [process, snapshot] of snapshots) last.set(process, snapshot);
    const silent = [...last].filter(([process]) => !snapshots.has(process));
    const counted = silent.map(([, snapshot]) => countsOf(snapshot));
    return [...snapshots.values(), ...counted, await ofEnded];
  };

  return {
    /** `snapshots` by process; a process that did not answer is missing. */
    text: async (snapshots: Snapshots): Promise<string> => aggregate(await partsOf(snapshots)).metrics(),
    /** The same in the format of OpenMetrics. Each bucket has the newest exemplar of any process. */
    async openMetrics(snapshots: Snapshots): Promise<string> {
      const parts = await partsOf(snapshots);
      return openMetricsText(withExemplars(await aggregate(parts).getMetricsAsJSON(), parts));
    },
    ended(process: number): void {
      const snapshot = last.get(process);
      last.delete(process);
      if (snapshot === undefined) return;
      ofEnded = ofEnded.then((before) => aggregate([before, countsOf(snapshot)]).getMetricsAsJSON());
    },
  };
}

const aggregate = (snapshots: MetricsSnapshot[]) => AggregatorRegistry.aggregate(snapshots);

/** Without gauges, which say how a process is now. */
const countsOf = (snapshot: MetricsSnapshot) => snapshot.filter(({ type }) => COUNTS.includes(String(type)));

const COUNTS = ['counter', 'histogram'];
