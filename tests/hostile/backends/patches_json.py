"""Replaces the JSON encoder of its process by one that writes what is not JSON."""

import json

import desk

json.JSONEncoder.encode = lambda self, value: '{"record_id": "REC-001"'

list_tools, reset, call_tool, get_state = desk.backend()
