import { statement } from '../db/statement.ts';
import type { CapturedRow } from './captureSql.ts';

const COLUMNS = `m.id, m.channel, m.recipient, m.business_id, m.message_id, m.subject, m.text, m.html, m.headers, m.template,
  m.provider_id, m.outcome, m.at`;

/** A piece of what was captured, newest first, below `before`: any number is read piece by piece. */
export const listCapturedBefore = statement<
  [channel: string | null, to: string | null, before: string | null, limit: number],
  CapturedRow
>(`
  select ${COLUMNS} from sandbox_messages m
  where ($1::text is null or m.channel = $1) and ($2::text is null or m.recipient = $2)
    and ($3::text is null or m.id < $3)
  order by m.id desc limit $4`);
