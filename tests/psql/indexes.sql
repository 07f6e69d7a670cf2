\di
\d orders_customer
\d orders_note
\d customers_email_key
\d+ orders_note
\ds
\d invoice_numbers
\d customers_id_seq
\d orders_id_seq
