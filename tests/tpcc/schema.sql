-- TPC-C 5.11, clause 1.3, with the usual indexes.
CREATE TABLE warehouse (
  w_id int PRIMARY KEY, w_name varchar(10), w_street_1 varchar(20), w_city varchar(20), w_state char(2), w_zip char(9),
  w_tax numeric(4,4) NOT NULL, w_ytd numeric(12,2) NOT NULL);
CREATE TABLE district (
  d_w_id int REFERENCES warehouse, d_id int, d_name varchar(10), d_street_1 varchar(20), d_city varchar(20), d_state char(2),
  d_zip char(9), d_tax numeric(4,4) NOT NULL, d_ytd numeric(12,2) NOT NULL, d_next_o_id int NOT NULL,
  PRIMARY KEY (d_w_id, d_id));
CREATE TABLE customer (
  c_w_id int, c_d_id int, c_id int, c_first varchar(16), c_middle char(2), c_last varchar(16), c_street_1 varchar(20),
  c_city varchar(20), c_state char(2), c_zip char(9), c_phone char(16), c_since timestamptz, c_credit char(2),
  c_credit_lim numeric(12,2), c_discount numeric(4,4) NOT NULL, c_balance numeric(12,2) NOT NULL,
  c_ytd_payment numeric(12,2) NOT NULL, c_payment_cnt int NOT NULL, c_delivery_cnt int NOT NULL, c_data text,
  PRIMARY KEY (c_w_id, c_d_id, c_id), FOREIGN KEY (c_w_id, c_d_id) REFERENCES district);
CREATE INDEX customer_name ON customer (c_w_id, c_d_id, c_last, c_first);
CREATE TABLE history (
  h_c_id int, h_c_d_id int, h_c_w_id int, h_d_id int, h_w_id int, h_date timestamptz, h_amount numeric(6,2) NOT NULL,
  h_data varchar(24), FOREIGN KEY (h_c_w_id, h_c_d_id, h_c_id) REFERENCES customer);
CREATE TABLE orders (
  o_w_id int, o_d_id int, o_id int, o_c_id int NOT NULL, o_entry_d timestamptz, o_carrier_id int, o_ol_cnt int NOT NULL,
  o_all_local int, PRIMARY KEY (o_w_id, o_d_id, o_id), FOREIGN KEY (o_w_id, o_d_id, o_c_id) REFERENCES customer);
CREATE UNIQUE INDEX orders_customer ON orders (o_w_id, o_d_id, o_c_id, o_id);
CREATE TABLE new_order (
  no_w_id int, no_d_id int, no_o_id int, PRIMARY KEY (no_w_id, no_d_id, no_o_id),
  FOREIGN KEY (no_w_id, no_d_id, no_o_id) REFERENCES orders);
CREATE TABLE item (i_id int PRIMARY KEY, i_im_id int, i_name varchar(24), i_price numeric(5,2) NOT NULL, i_data varchar(50));
CREATE TABLE stock (
  s_w_id int REFERENCES warehouse, s_i_id int REFERENCES item, s_quantity int NOT NULL, s_dist char(24)[] NOT NULL,
  s_ytd int NOT NULL, s_order_cnt int NOT NULL, s_remote_cnt int NOT NULL, s_data varchar(50), PRIMARY KEY (s_w_id, s_i_id));
CREATE TABLE order_line (
  ol_w_id int, ol_d_id int, ol_o_id int, ol_number int, ol_i_id int NOT NULL, ol_supply_w_id int, ol_delivery_d timestamptz,
  ol_quantity int, ol_amount numeric(6,2) NOT NULL, ol_dist_info char(24),
  PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number), FOREIGN KEY (ol_w_id, ol_d_id, ol_o_id) REFERENCES orders,
  FOREIGN KEY (ol_supply_w_id, ol_i_id) REFERENCES stock);
