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
-- Who may read a session, where a release keeps that in tables of its own: as for the template, with the session's own user.
select to_regclass('virtual_entities') is not null as has_entities \gset
\if :has_entities
create temp table entities on commit drop as
select :new_id as id, plan.session_id, plan.created_at, owner.id as owner
  from plan join virtual_entities owner on owner.entity_type = 'user' and owner.entity_id = plan.user_uuid;
create temp table copied on commit drop as
select session.id as session, owner.id as owner
  from sessions t join virtual_entities session on session.entity_type = 'session' and session.entity_id = t.id
  join virtual_entities owner on owner.entity_type = 'user' and owner.entity_id = t.user_uuid
 where t.id = :'template';

insert into virtual_entities (id, entity_type, entity_id, created_at)
select id, 'session', session_id, created_at from entities;

insert into entity_memberships (virtual_entity_id, member_entity_id, capped, created_at)
select case it.virtual_entity_id when copied.session then e.id when copied.owner then e.owner else it.virtual_entity_id end,
       e.id, it.capped, e.created_at
  from entities e, copied join entity_memberships it on it.member_entity_id = copied.session;

insert into scope_bindings (virtual_entity_id, scope_entity_id, permission_cap, created_at)
select e.id, case it.scope_entity_id when copied.session then e.id when copied.owner then e.owner else it.scope_entity_id end,
       it.permission_cap, e.created_at
  from entities e, copied join scope_bindings it on it.virtual_entity_id = copied.session;
\endif
commit;
analyze sessions;
analyze kernels;
