"""Cuts its lifeline as well as it can and sleeps for ever, so as to be there still when our process is gone."""

import os
import time

import desk
import inside


def live_on():
    for lifeline in inside.others():
        desk.outcome(os.close, lifeline)
        desk.outcome(os.dup2, 0, lifeline)
        desk.outcome(inside.close_range, lifeline)
    while True:
        time.sleep(60)


list_tools, reset, call_tool, get_state = desk.backend(call=live_on)
