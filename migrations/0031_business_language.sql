-- The language of people whose own is not known. Which languages there are, the program decides.
alter table businesses add column language text collate "C" not null default 'en';
