-- A send's message is one of a recipient of its business, so the business was checked twice over, for each push.
alter table sends drop constraint sends_business_id_fkey;
