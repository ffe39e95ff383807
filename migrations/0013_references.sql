-- Who names a recipient names its business with it: a second reference to the business alone proves nothing more, is checked for
-- every row, and makes all who write for one business at the same time take turns at its one row.
alter table messages drop constraint messages_business_id_fkey;
alter table links drop constraint links_business_id_fkey;
alter table inbox_sessions drop constraint inbox_sessions_business_id_fkey;
