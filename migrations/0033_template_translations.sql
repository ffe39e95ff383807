-- Whether WhatsApp has approved a template in a language other than English, whose reviews are in whatsapp_templates. A
-- template without a row was never submitted. `sandbox`: the sandbox sends it without a review; a real provider starts without these rows.
create table template_translations (
  language      text collate "C" not null check (language ~ '^[a-z]{2,3}$'),
  order_status  text collate "C" not null check (order_status in
    ('confirmed', 'shipped', 'ready_for_pickup', 'delivered', 'cancelled', 'refunded', 'delayed')),
  state         text collate "C" not null check (state in ('approved', 'in_review', 'sandbox')),
  primary key (language, order_status)
);
