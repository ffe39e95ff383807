import { statement } from '../../../db/statement.ts';

/** Whether calls can be proved yet. */
export const connectionSecret = statement<[id: string], { has_secret: boolean }>(`
  select secret_sealed is not null as has_secret from connections where id = $1`);

export interface CallBody {
  id: string;
  topic: string;
  headers: Record<string, string>;
  body: Buffer;
  received_at: Date;
}

/** What calls said, to show it again. A body longer than `longest` is left out: nobody reads ten of a mebibyte. */
export const callBodies = statement<
  [businessId: string, connectionId: string, callIds: readonly string[], longest: number],
  CallBody
>(`
  select id, topic, headers, body, received_at from connection_calls
  where business_id = $1 and connection_id = $2 and id = any($3::text[]) and octet_length(body) <= $4`);
