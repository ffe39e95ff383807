-- A BCP 47 tag as the merchant sent it; null: not known. The nearest of our languages is chosen when a word is needed, so
-- that a language added later serves everyone whose tag names it.
alter table recipients add column language text collate "C";
