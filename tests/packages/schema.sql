create table film (id int primary key generated always as identity, title text not null unique, made int);
insert into film (title, made) values ('Metropolis', 1927), ('M', 1931);
