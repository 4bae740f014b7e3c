"""What Python's own SQLite says of files: reads jobs as lines of JSON (file, queries), and writes for each one line of
JSON: the faults that SQLite reports, and the answer to each query as the hashes of its rows or an error. It must never import anything
but the standard library, and changes no file."""

import hashlib
import json
import sqlite3
import sys

# More work than this for one file is a read that goes round in circles (virtual machine instructions / 100,000).
MOST_ROUNDS = 400


# Chunks of one segment.
MOST_POSTINGS = 4096


def number(data, at):
    value, shift = 0, 0
    while True:
        value |= (data[at] & 127) << shift
        at += 1
        if data[at - 1] < 128 or at >= len(data):
            return value, at
        shift += 7


def live_postings(data, lengths):
    """Places and counts of the chunks that are there: `livePostings` of the other program."""
    if not isinstance(data, bytes) or not isinstance(lengths, bytes):
        return "no list"
    words = [int.from_bytes(lengths[i : i + 4], "little") for i in range(0, len(lengths) // 4 * 4, 4)]
    place, at, found, live = -1, 0, 0, []
    while at < len(data) and found < MOST_POSTINGS:
        distance, at = number(data, at)
        if at >= len(data):
            break
        count, at = number(data, at)
        place, found = place + distance, found + 1
        if 0 <= place < len(words) and words[place] > 0:
            live.append("%d:%d" % (place, count))
    return " ".join(live)


def connect(file):
    connection = sqlite3.connect("file:%s?mode=ro" % file, uri=True)
    connection.text_factory = bytes
    connection.create_function("live_postings", 2, live_postings, deterministic=True)
    rounds = [0]

    def count():
        rounds[0] += 1
        return rounds[0] > MOST_ROUNDS

    connection.set_progress_handler(count, 100000)
    return connection


def answer(connection, query):
    try:
        if "before" in query:
            connection.execute(query["before"])
        rows = connection.execute(query["sql"])
        return " ".join(sorted(hashlib.sha256(row[0]).hexdigest()[:16] for row in rows))
    except (sqlite3.Error, TypeError, ValueError) as thrown:
        return "error: %s: %s" % (type(thrown).__name__, thrown)


def faults(connection):
    lines = []
    try:
        lines += [str(row[0], "utf-8", "replace") for row in connection.execute("PRAGMA integrity_check")]
        lines += ["foreign key: %r" % (row,) for row in connection.execute("PRAGMA foreign_key_check")]
    except sqlite3.Error as thrown:
        lines.append(str(thrown))
    return [line for line in lines if line != "ok"]


for line in sys.stdin:
    job = json.loads(line)
    try:
        connection = connect(job["file"])
    except sqlite3.Error as thrown:
        print(json.dumps({"version": sqlite3.sqlite_version, "faults": [str(thrown)], "content": []}), flush=True)
        continue
    said = {
        "version": sqlite3.sqlite_version,
        "faults": faults(connection)[:5],
        "content": [answer(connection, query) for query in job["queries"]],
    }
    connection.close()
    print(json.dumps(said), flush=True)
