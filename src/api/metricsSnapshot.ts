import type { Registry } from 'prom-client';

/** All metrics of a process at one moment. It can travel between processes as JSON. */
export type MetricsSnapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;
