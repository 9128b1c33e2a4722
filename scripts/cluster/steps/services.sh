# Backend.AI's own programs.
# shellcheck shell=bash disable=SC2154

backend=$venv/bin/backend.ai
start_manager manager
if alive storage && ! responds storage_manager; then
    say "the storage proxy doesn't answer: restarting it"
    stop storage 10
fi
start storage "$backend" storage start-server -f "$conf/storage-proxy.toml"
start coordinator "$backend" app-proxy-coordinator start-server -f "$conf/app-proxy-coordinator.toml"
start agent "$backend" ag start-server -f "$conf/agent.toml"
wait_for storage 90 responds storage_manager
wait_for storage 30 responds storage_client
wait_for coordinator 90 answers coordinator /status
start web "$backend" web start-server -f "$conf/webserver.conf"
start worker "$backend" app-proxy-worker start-server -f "$conf/app-proxy-worker.toml"
wait_for worker 90 listens worker
wait_for web 90 listens web
# The first time it unpacks the kernel runner into a volume.
wait_for agent 240 agent_registered
