"""Runs the ledger's statements under Python's own SQLite: reads one JSON document from stdin (snapshot, states,
dump queries, attacks), makes each state, tries each attack, and writes one JSON document: the version of SQLite, the
dump of each state, and what came of each attack. It must never import anything but the standard library."""

import json
import sqlite3
import sys


def connect():
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("PRAGMA foreign_keys = OFF")
    return connection


def dump(connection, queries):
    return [[row[0] for row in connection.execute(query)] for query in queries]


def changes(connection):
    """What grows with every row that the connection has changed, and with the schema."""
    return connection.total_changes, connection.execute("PRAGMA schema_version").fetchone()


def main():
    job = json.load(sys.stdin)
    templates = {}
    for name, statements in job["states"].items():
        connection = connect()
        connection.executescript(job["snapshot"])
        for statement in statements:
            connection.execute(statement)
        templates[name] = connection

    def fresh(attack):
        connection = connect()
        templates[attack["state"]].backup(connection)
        connection.executescript(attack["setup"])
        return connection, dump(connection, job["dump_queries"])

    outcomes = []
    ready = {}
    for attack in job["attacks"]:
        key = (attack["state"], attack["setup"])
        if key not in ready:
            ready[key] = fresh(attack)
        connection, before = ready[key]
        error = None
        counted = changes(connection)
        try:
            if attack["filled"] is None:
                connection.executescript(attack["sql"])
            else:
                connection.execute(attack["filled"]["text"], attack["filled"]["values"])
        except sqlite3.Error as thrown:
            error = str(thrown)
        if connection.in_transaction:
            connection.execute("COMMIT")
        connection.executescript(attack["after"])
        changed = changes(connection) != counted and dump(connection, job["dump_queries"]) != before
        outcomes.append({"error": error, "changed": changed})
        if changed or attack["setup"] != "":
            connection.close()
            del ready[key]

    for connection, before in ready.values():
        if dump(connection, job["dump_queries"]) != before:
            raise AssertionError("an attack left a trace that SQLite did not count")

    json.dump(
        {
            "sqlite_version": sqlite3.sqlite_version,
            "dumps": {name: dump(connection, job["dump_queries"]) for name, connection in templates.items()},
            "outcomes": outcomes,
        },
        sys.stdout,
    )


main()
