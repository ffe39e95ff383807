-- The credits that shops bought. Charges, nearly all entries of the ledger, are not in it.
create index concurrently credit_ledger_grants on credit_ledger (business_id, at) where kind = 'grant';
