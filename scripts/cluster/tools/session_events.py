"""Broadcasts events of sessions as the manager does, at a steady rate.

Arguments: port of Valkey, events per second, seconds. Standard input: ids of sessions, one per line.
"""

import asyncio
import itertools
import sys
import uuid

from ai.backend.common.defs import REDIS_STREAM_DB
from ai.backend.common.events.dispatcher import EventProducer
from ai.backend.common.events.event_types.session.broadcast import SchedulingBroadcastEvent
from ai.backend.common.message_queue.redis_queue import RedisMQArgs, RedisQueue
from ai.backend.common.types import AGENTID_MANAGER, HostPortPair, RedisTarget


async def main(port, rate, seconds):
    sessions = itertools.cycle([uuid.UUID(line.strip()) for line in sys.stdin if line.strip()])
    target = RedisTarget(addr=HostPortPair(host="127.0.0.1", port=port))
    args = RedisMQArgs(
        anycast_stream_key="events", broadcast_channel="events_all", consume_stream_keys=None, subscribe_channels=None,
        group_name="manager", node_id="session-events", db=REDIS_STREAM_DB,
    )
    queue = await RedisQueue.create(target, args)
    producer = EventProducer(queue, source=AGENTID_MANAGER)
    clock = asyncio.get_running_loop().time
    start = clock()
    count = int(rate * seconds)
    for number in range(count):
        await asyncio.sleep(max(0, start + number / rate - clock()))
        session = next(sessions)
        event = SchedulingBroadcastEvent(
            session_id=session, creation_id="", status_transition="RUNNING", reason="session-events",
        )
        await producer.broadcast_event(event)
    print(f"{count} events in {clock() - start:.1f} s")
    await producer.close()


asyncio.run(main(int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])))
