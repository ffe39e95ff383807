import { statement } from './statement.ts';

export const findSecret = statement<[name: string], { sealed: Buffer }>(`
  select sealed from instance_secrets where name = $1`);

/** The first to write a secret makes it; whoever comes later keeps what is there. */
export const keepSecret = statement<[name: string, sealed: Buffer]>(`
  insert into instance_secrets (name, sealed) values ($1, $2) on conflict (name) do nothing`);
