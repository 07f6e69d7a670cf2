export default async (template) => {
  await template.execute("create table migrated (at timestamptz default now()); insert into migrated default values");
};
