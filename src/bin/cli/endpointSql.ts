import { statement } from '../../db/statement.ts';

export interface EnabledRow {
  businessId: string;
  url: string;
  wasDisabled: boolean;
}

/** The count starts anew too: otherwise the next failed event would disable the endpoint again. */
export const enableEndpoint = statement<[endpointId: string], EnabledRow>(`
  update webhook_endpoints w set disabled_at = null, consecutive_failures = 0
  from (
    select business_id, id, disabled_at from webhook_endpoints where id = $1 and deleted_at is null for update
  ) before
  where w.business_id = before.business_id and w.id = before.id
  returning w.business_id as "businessId", w.url, before.disabled_at is not null as "wasDisabled"`);
