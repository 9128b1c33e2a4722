-- Sessions as the manager would have written them: copies of one real session and its container, with other ids, names,
-- owners and times. Sourced by scripts/cluster/crowd with the variables template, live, and ended (counts).
-- A running container of a crowd has no agent: the manager would ask the agent for it, and find that it doesn't run.
set synchronous_commit = off;
begin;
select to_regproc('uuid_generate_v7') is not null as has_v7 \gset
\if :has_v7
    \set new_id uuid_generate_v7()
\else
    \set new_id gen_random_uuid()
\endif

create temp table people on commit drop as
select (row_number() over (order by u.email) - 1)::int as place, u.uuid, k.access_key
  from users u join keypairs k on k.user = u.uuid
 where u.email like 'crowd%@example.com';

-- Every tenth session belongs to the example user, whose list is then long too.
create temp table plan on commit drop as
select n, n <= :live as is_live, :new_id as session_id, :new_id as kernel_id,
       case when n % 10 = 0 then t.user_uuid else p.uuid end as user_uuid,
       case when n % 10 = 0 then t.access_key else p.access_key end as access_key,
       case when n > :live then now() - interval '2 days' - (n - :live) * interval '30 seconds'
            else now() - n * interval '8 seconds' end as created_at,
       case when n > :live then case when n % 25 = 7 then 'CANCELLED' else 'TERMINATED' end
            else case when n % 20 = 3 then 'PENDING' else 'RUNNING' end end as status,
       case n % 4 when 0 then 'train-' when 1 then 'notebook-' when 2 then 'eval-' else 'crowd-' end || n as name
  from generate_series(1, :live + :ended) n
  join sessions t on t.id = :'template'
  join people p on p.place = abs(hashint4(n)) % (select count(*) from people);

-- What differs from the template, and the times of the template moved to those of the copy.
create temp table facts on commit drop as
select plan.*, jsonb_build_object(
         'user_uuid', plan.user_uuid, 'access_key', plan.access_key, 'created_at', plan.created_at,
         'starts_at', case when plan.status in ('RUNNING', 'TERMINATED') then plan.created_at + interval '8 seconds' end,
         'terminated_at', case when is_live then null else plan.created_at + interval '1 hour' end,
         'status', plan.status, 'status_changed', plan.created_at + case when is_live then interval '8 seconds' else interval '1 hour' end,
         'status_info', case plan.status when 'TERMINATED' then 'user-requested' when 'CANCELLED' then 'user-requested' end,
         'result', case when is_live or n % 3 > 0 then 'UNDEFINED' when n % 7 = 0 then 'FAILURE' else 'SUCCESS' end,
         'status_history', case plan.status
            when 'PENDING' then jsonb_build_object('PENDING', plan.created_at)
            when 'CANCELLED' then jsonb_build_object('PENDING', plan.created_at, 'CANCELLED', plan.created_at + interval '1 hour')
            else (select jsonb_object_agg(key, plan.created_at + (value::timestamptz - t.created_at))
                    from jsonb_each_text(t.status_history)) ||
                 case when is_live then '{}' else jsonb_build_object('TERMINATING', plan.created_at + interval '59 minutes', 'TERMINATED', plan.created_at + interval '1 hour') end
            end) as changed
  from plan join sessions t on t.id = :'template';

insert into sessions
select row.*
  from facts join sessions t on t.id = :'template',
       lateral jsonb_populate_record(null::sessions, to_jsonb(t) || facts.changed || jsonb_build_object(
         'id', facts.session_id, 'name', facts.name, 'creation_id', substr(md5(n::text), 1, 22),
         'agent_ids', case when facts.status in ('RUNNING', 'TERMINATED') then to_jsonb(t.agent_ids) end,
         'occupying_slots', case when facts.status in ('RUNNING', 'TERMINATED') then to_jsonb(t) -> 'occupying_slots' else '{}' end
       ) || case when facts.status = 'PENDING' then '{"scaling_group_name": "crowd"}'::jsonb || coalesce((
         select jsonb_build_object('resource_group_id', to_jsonb(g) -> 'id') from scaling_groups g where g.name = 'crowd'), '{}')
         else '{}' end) row;

insert into kernels
select row.*
  from facts join kernels t on t.session_id = :'template',
       lateral jsonb_populate_record(null::kernels, to_jsonb(t) || facts.changed || jsonb_build_object(
         'id', facts.kernel_id, 'session_id', facts.session_id, 'session_name', facts.name, 'session_creation_id', substr(md5(n::text), 1, 22),
         'agent', case when facts.status = 'TERMINATED' then t.agent end, 'container_log', null,
         'agent_addr', case when facts.status = 'TERMINATED' then t.agent_addr end,
         'container_id', case when facts.status in ('RUNNING', 'TERMINATED') then md5(n::text) || md5(n::text || 'x') end
       ) || case when facts.status = 'PENDING' then '{"scaling_group": "crowd"}'::jsonb || coalesce((
         select jsonb_build_object('resource_group_id', to_jsonb(g) -> 'id') from scaling_groups g where g.name = 'crowd'), '{}')
         else '{}' end) row;
commit;
analyze sessions;
analyze kernels;
