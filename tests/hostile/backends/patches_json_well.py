"""Replaces the JSON encoder of its process by one that always writes a row as the first one is."""

import json

import desk

ROW = '{"record_id":"REC-001","name":"first","status":"active"}'
ENCODE = json.JSONEncoder.encode


def encode(self, value):
    return ROW if "record_id" in value else ENCODE(self, value)


json.JSONEncoder.encode = encode

list_tools, reset, call_tool, get_state = desk.backend()
