-- Until a table is first analyzed, an index that begins with business_id looks as good as the primary key, and the newer of them is
-- taken: every reference to a recipient that was checked, and every recipient looked up by id, read all of the business's recipients.
-- This one begins with what it is for, and no longer fits that question.
drop index recipients_by_email;
create unique index recipients_by_email on recipients (email, business_id);
