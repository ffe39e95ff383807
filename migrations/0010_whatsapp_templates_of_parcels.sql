-- Which order statuses there are is said once, in the program (src/nudges/orderStatus.ts). WhatsApp has to approve the new templates first.
alter table whatsapp_templates drop constraint whatsapp_templates_order_status_check;
insert into whatsapp_templates (order_status, state) values
  ('in_transit', 'in_review'), ('out_for_delivery', 'in_review'), ('delivery_attempted', 'in_review');
