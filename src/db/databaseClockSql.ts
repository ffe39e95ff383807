import { statement } from './statement.ts';

/** The only place that asks the database for the time; everything else takes it from the clock made of this. */
export const readDatabaseTime = statement<[], { now_ms: number; offset_ms: number }>(`
  select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms, offset_ms::float8 as offset_ms
  from service_clock`);

export const advanceDatabaseTime = statement<[milliseconds: number], { offset_ms: number }>(`
  update service_clock set offset_ms = offset_ms + $1::bigint returning offset_ms::float8 as offset_ms`);
