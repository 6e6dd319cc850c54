"""Makes itself more important than others, and others less."""

import os
import resource

import desk
import target


def push():
    return {
        "nice": desk.outcome(os.nice, -5),
        "ours": desk.outcome(os.setpriority, os.PRIO_PROCESS, target.PARENT, 19),
        "realtime": desk.outcome(os.sched_setscheduler, 0, os.SCHED_FIFO, os.sched_param(50)),
        "processors": desk.outcome(os.sched_setaffinity, target.PARENT, [0]),
        "limits_of_ours": desk.outcome(resource.prlimit, target.PARENT, resource.RLIMIT_NOFILE, (8, 8)),
        "own_limits": desk.outcome(resource.setrlimit, resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2),
    }


list_tools, reset, call_tool, get_state = desk.backend(call=push)
