import { setTimeout as sleep } from 'node:timers/promises';
import fastify from 'fastify';
import pg from 'pg';
import { newId } from '../../src/kit/ids.ts';
import { atEnd } from '../cleanup.ts';
import { instantSend } from '../instantProvider.ts';
import { type BarePush, bareAnswer, bareFingerprint } from '../limits/bare.ts';
import { SAMPLE_PUSH } from '../load/requests.ts';

/*
 * What a team builds on a job queue for the same promise: an update is stored once per idempotency key, in one transaction with the
 * job of its nudge; the provider is called after a commit of `submitting`, so never twice; its outcome is recorded. It has no other
 * rule, as bareServer.ts has none.
 */

export interface JobQueue {
  /** Ends a statement that inserts `message`: adds a job for each of its rows, in the same transaction. */
  readonly addJobs: string;
  /** Adds the jobs once that has committed, where the queue is not in Postgres. */
  enqueue?(ids: string[]): Promise<unknown>;
  /** Runs the jobs. Answers what a drain begins with. */
  work(nudge: (ids: string[]) => Promise<void>): Promise<() => unknown>;
}

export type Peer = ReturnType<typeof openPeer>;

export const openPeerPool = (url: string, max: number): pg.Pool => {
  const pool = new pg.Pool({ connectionString: url, max });
  // graphile-worker warns of a pool without error listeners; failed statements reject by themselves.
  const nothing = () => {};
  pool.on('error', nothing).on('connect', (client) => client.on('error', nothing));
  atEnd(() => pool.end());
  return pool;
};

/** The room on a page keeps the updates of a message on it. */
export const PEER_TABLES = `
  create table peer_messages (
    id text collate "C" primary key,
    recipient_email text not null,
    subject text not null,
    body text not null,
    reference text,
    order_status text,
    state text not null default 'queued',
    provider_id text,
    created_at timestamptz not null default now()
  ) with (fillfactor = 80);
  create table peer_answers (
    key text collate "C" primary key,
    fingerprint bytea not null,
    response text not null,
    created_at timestamptz not null default now()
  );`;

const storeSql = (addJobs: string): string => `
  with answer as (
    insert into peer_answers (key, fingerprint, response) values ($1, $2, $3)
  ), message as (
    insert into peer_messages (id, recipient_email, subject, body, reference, order_status) values ($4, $5, $6, $7, $8, $9)
    returning id
  ) ${addJobs}`;

const backlogSql = (addJobs: string): string => `
  with message as (
    insert into peer_messages (id, recipient_email, subject, body, reference, order_status)
    select $1 || lpad(n::text, 9, '0'), 'person' || n || '@example.com', $2, $3, $4, $5 from generate_series(1, $6::int) n
    returning id
  ) ${addJobs}`;

const ANSWER = 'select fingerprint, response from peer_answers where key = $1';
const SUBMIT = `
  update peer_messages set state = 'submitting' where id = any($1::text[]) and state = 'queued'
  returning id, recipient_email, subject, body`;
const RECORD = `
  update peer_messages m set state = o.state, provider_id = o.provider_id
  from unnest($1::text[], $2::text[], $3::text[]) o (id, state, provider_id) where m.id = o.id`;
const STORED = 'select count(*)::int as count from peer_messages';
const UNIQUE_VIOLATION = '23505';
const POLL_MS = 5;

type Nudge = Pick<BarePush, 'recipient_email' | 'subject' | 'body'> & { id: string };

/** For either of its processes: the API calls `port`, and the worker the rest. */
export function openPeer(pool: pg.Pool, queue: JobQueue) {
  const { nudge, recorded } = openNudges(pool);
  let begin: () => unknown = () => {};
  return {
    /** Serves pushes; answers its port. */
    port: () => serve(pool, queue),
    async work(): Promise<void> {
      begin = await queue.work(nudge);
    },
    /** Stores this many messages whose nudges are due. */
    async addBacklog({ count }: { count: number }): Promise<void> {
      const { subject, body, reference, order_status } = SAMPLE_PUSH;
      const values = [newId(new Date()), subject, body, reference, order_status, count];
      const { rows } = await pool.query<{ id: string }>(backlogSql(queue.addJobs), values);
      await queue.enqueue?.(rows.map(({ id }) => id));
    },
    /** Waits until the outcome of every message is recorded. */
    async drain(): Promise<void> {
      await begin();
      const stored = (await pool.query<{ count: number }>(STORED)).rows[0]?.count ?? 0;
      while (recorded() < stored) await sleep(POLL_MS);
    },
  };
}

async function serve(pool: pg.Pool, queue: JobQueue): Promise<number> {
  const app = fastify({ logger: false });
  atEnd(() => app.close());
  const text = storeSql(queue.addJobs);
  app.post<{ Body: BarePush; Headers: { 'idempotency-key': string } }>('/push', async (request, reply) => {
    const { recipient_email, subject, body, reference, order_status } = request.body;
    const key = request.headers['idempotency-key'];
    const fingerprint = bareFingerprint(request.body);
    const now = new Date();
    const id = newId(now);
    const response = JSON.stringify(bareAnswer(id, request.body, now));
    const message = [id, recipient_email, subject, body, reference, order_status];
    reply.type('application/json');
    try {
      await pool.query({ name: 'store', text, values: [key, fingerprint, response, ...message] });
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== UNIQUE_VIOLATION) throw error;
      const [known] = (await pool.query({ name: 'answer', text: ANSWER, values: [key] })).rows;
      return fingerprint.equals(known.fingerprint)
        ? reply.code(201).send(known.response)
        : reply.code(409).send('{}');
    }
    await queue.enqueue?.([id]);
    return reply.code(201).send(response);
  });
  return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
}

function openNudges(pool: pg.Pool) {
  const send = instantSend<Nudge>();
  let recorded = 0;
  return {
    recorded: () => recorded,
    async nudge(ids: string[]): Promise<void> {
      // One that is `submitting` already may have been sent: its outcome is unknown, so it is not sent again.
      const { rows } = await pool.query<Nudge>({ name: 'submit', text: SUBMIT, values: [ids] });
      if (rows.length === 0) return;
      const outcomes = await Promise.all(rows.map(send));
      const states = outcomes.map(({ outcome }) => outcome);
      const providerIds = outcomes.map(({ providerId }) => providerId);
      await pool.query({
        name: 'record',
        text: RECORD,
        values: [rows.map(({ id }) => id), states, providerIds],
      });
      recorded += rows.length;
    },
  };
}
