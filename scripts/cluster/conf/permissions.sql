-- Everybody may use the one folder host, run 30 sessions of 3 containers, and reach them through the app proxy.
\set hosts '{"local:volume1": ["create-vfolder", "modify-vfolder", "delete-vfolder", "mount-in-session", "upload-file", "download-file", "invite-others", "set-user-specific-permission"]}'
update domains set allowed_vfolder_hosts = :'hosts', allowed_docker_registries = '{local,cr.backend.ai,index.docker.io}';
update groups set allowed_vfolder_hosts = :'hosts';
update keypair_resource_policies set allowed_vfolder_hosts = :'hosts', max_concurrent_sessions = 30,
       max_containers_per_session = 3;
update scaling_groups
   set wsproxy_addr = 'http://127.0.0.1:@port.coordinator@', wsproxy_api_token = '@secret.appproxy-api@'
 where name = 'default';
-- 25.15 fills in presets without their shared memory.
update resource_presets
   set shared_memory = case name when 'small' then 67108864 when 'medium' then 1073741824 when 'huge' then 2147483648 end;
