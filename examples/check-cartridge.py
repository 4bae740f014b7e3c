#!/usr/bin/env python3
"""Checks cartridges of the cassette network with Python's standard library alone, from docs/spec/network.md.

    python3 check-cartridge.py CARTRIDGE...

For each path (a folder, or a file that network export --tar made) it prints one line of JSON: `ok`, and for a cartridge that is not
whole `code`, `file` and `line`. It ends with 1 when one is not whole. It reads one line of each file at a time.
"""

import hashlib
import json
import os
import re
import stat
import sys
from datetime import datetime

FILES = ("manifest.json", "receipts.jsonl", "records.jsonl")
MAX_TEXT = 4 * 1024 * 1024
MAX_MEMORY = 1024 * 1024
MAX_METADATA = 16 * 1024
MAX_LINE = {"manifest.json": 65_536, "receipts.jsonl": 65_536, "records.jsonl": 6 * MAX_TEXT + 65_536}
KEEPING = {"immutable", "stable", "append-only"}
MUTABILITIES = KEEPING | {"mutable", "ephemeral", "read-write"}
ZEROS = "0" * 64


class Refused(Exception):
    def __init__(self, code, file, line=None):
        super().__init__(code)
        self.found = {"code": code, "file": file, "line": line}


def sha256(data):
    return hashlib.sha256(data).digest()


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8")


def name_of(value):
    return sha256(canonical(value)).hex()


class Tree:
    """The root of RFC 6962 over leaves that pass by once."""

    def __init__(self):
        self.peaks, self.size = [], 0

    def add(self, leaf):
        node, rest = sha256(b"\0" + leaf), self.size
        while rest % 2:
            node, rest = sha256(b"\1" + self.peaks.pop() + node), rest // 2
        self.peaks.append(node)
        self.size += 1

    def root(self):
        if not self.peaks:
            return sha256(b"").hex()
        root = self.peaks[-1]
        for peak in reversed(self.peaks[:-1]):
            root = sha256(b"\1" + peak + root)
        return root.hex()


def matches(pattern):
    form = re.compile(pattern)
    return lambda value: isinstance(value, str) and form.fullmatch(value) is not None


def is_count(value):
    return type(value) is int and 0 <= value < 2**53


def is_ordinal(value):
    return is_count(value) and value > 0


def is_text(value):
    return isinstance(value, str) and "\0" not in value


def is_path(value):
    return is_text(value) and not {"", ".", ".."} & set(value.split("/"))


def is_time(value):
    if not matches(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")(value):
        return False
    try:
        # Python has no year 0; the year 400 has the same days.
        datetime.fromisoformat(("0400" if value[:4] == "0000" else value[:4]) + value[4:-1])
        return True
    except ValueError:
        return False


def one_of(*values):
    return lambda value: isinstance(value, str) and value in values


is_hash = matches("[0-9a-f]{64}")

MANIFEST = {
    "agent_id": lambda value: value is None or is_text(value),
    "cartridge_version": is_text,
    "cassette_id": matches("[a-z][a-z0-9-]{0,63}"),
    "counts": lambda value: isinstance(value, dict)
    and set(value) == {"receipts", "records"}
    and all(map(is_count, value.values())),
    "db_hash": matches("[0-9a-f]{16}"),
    "encoding": one_of("utf-8"),
    "export_format": one_of("cartridge"),
    "id_scheme": one_of("content-hash"),
    "manifest_hash": is_hash,
    "memories": one_of("shared", "private"),
    "migration_receipt": matches("sha256:[0-9a-f]{64}"),
    "mutability": one_of(*MUTABILITIES),
    "normalization": one_of("NFC"),
    "receipt_chain": one_of("merkle"),
    "receipt_head": is_hash,
    "receipts_root": is_hash,
    "records_root": is_hash,
    "schema_version": is_text,
    "sealed": lambda value: isinstance(value, bool),
    "ttl_ms": is_count,
}
RECEIPT = {
    "operation": one_of("migrate", "add", "remove", "seal"),
    "parent_hash": is_hash,
    "receipt_hash": is_hash,
    "receipt_index": is_ordinal,
    "record_hash": is_hash,
    "rule": is_text,
}
RECORD = {"entry_hash": is_hash, "kind": is_text, "receipt_index": is_ordinal, "record_hash": is_hash}
DOCUMENT = RECORD | {
    "added_at": is_time,
    "content_hash": is_hash,
    "expires_at": lambda value: value is None or is_time(value),
    "kind": one_of("document"),
    "path": is_path,
    "text": is_text,
    "type": is_text,
    "version": is_ordinal,
}
MEMORY = RECORD | {"content_hash": is_hash, "kind": one_of("memory"), "owner": is_text, "text": is_text}
SAVE = RECORD | {
    "agent_id": lambda value: value is None or is_text(value),
    "expires_at": lambda value: value is None or is_time(value),
    "kind": one_of("save"),
    "memory": is_hash,
    "metadata": is_text,
    "save_number": is_ordinal,
    "saved_at": is_time,
}


def fields_of_record(value):
    kind = value.get("kind") if isinstance(value, dict) else None
    return MEMORY if kind == "memory" else SAVE if kind == "save" else DOCUMENT


def refuse_constant(_):
    raise ValueError


def parsed(data):
    value = json.loads(data.decode("utf-8"), parse_constant=refuse_constant)
    if canonical(value) != data:
        raise ValueError
    return value


def is_metadata(text):
    try:
        return isinstance(parsed(text.encode("utf-8")), dict)
    except (ValueError, RecursionError):
        return False


class Part:
    """The bytes of one file: all of a file, or a part of an archive."""

    def __init__(self, name, stream, start, size):
        self.name, self.stream, self.at, self.left = name, stream, start, size

    def lines(self, fields_of):
        """Number and value of each line; the value has exactly the fields that belong to it."""
        limit, number = MAX_LINE[self.name], 0
        while self.left > 0:
            number += 1
            self.stream.seek(self.at)
            line = self.stream.readline(min(limit + 2, self.left))
            self.at, self.left = self.at + len(line), self.left - len(line)
            if len(line.rstrip(b"\n")) > limit:
                raise Refused("LINE_TOO_LONG", self.name, number)
            if not line.endswith(b"\n"):
                raise Refused("LINE_CUT_OFF", self.name, number)
            try:
                value = parsed(line[:-1])
            except (ValueError, RecursionError):
                raise Refused("LINE_MALFORMED", self.name, number) from None
            if self.name == "manifest.json" and isinstance(value, dict):
                for version in ("cartridge_version", "schema_version"):
                    found = value.get(version)
                    if isinstance(found, str) and found.split(".")[0] != "1":
                        raise Refused("VERSION_UNSUPPORTED", self.name, number)
            fields = fields_of(value)
            if not isinstance(value, dict) or set(value) != set(fields):
                raise Refused("FIELD_INVALID", self.name, number)
            if not all(is_sound(value[name]) for name, is_sound in fields.items()):
                raise Refused("FIELD_INVALID", self.name, number)
            yield number, value


def without(value, *names):
    return {name: field for name, field in value.items() if name not in names}


class Content:
    """What the lines so far say, receipts in order and each record right after its receipt."""

    def __init__(self, manifest):
        self.mutability = manifest["mutability"]
        self.is_private, self.agent = manifest["memories"] == "private", manifest["agent_id"]
        self.receipts, self.records = Tree(), Tree()
        self.live, self.versions, self.saves, self.hashes = {}, {}, {}, []
        self.newest, self.migration, self.unsaved = None, ZEROS, None
        description = ("cassette_id", "memories", "mutability", "schema_version")
        named = [manifest[name] for name in description] + [str(manifest["ttl_ms"])]
        self.first_parent = name_of(["cassette/description/1", *named])

    def receipt(self, receipt):
        before, operation = self.newest, receipt["operation"]
        index, record = receipt["receipt_index"], receipt["record_hash"]
        hashed = ["cassette/receipt/1", index, receipt["parent_hash"], operation, record, receipt["rule"]]
        if name_of(hashed) != receipt["receipt_hash"]:
            return "RECEIPT_HASH_MISMATCH"
        if index != (before["receipt_index"] if before else 0) + 1:
            return "RECEIPT_CHAIN_BROKEN"
        if receipt["parent_hash"] != (before["receipt_hash"] if before else self.first_parent):
            return "RECEIPT_CHAIN_BROKEN"
        if (before["operation"] == "seal") if before else (operation != "migrate"):
            return "RULE_BROKEN"
        if operation != "migrate" and receipt["rule"] != self.mutability:
            return "RULE_BROKEN"
        if self.unsaved and self.live[self.unsaved][0] != index - 1:
            return "RULE_BROKEN"
        if operation == "migrate":
            self.migration = receipt["receipt_hash"]
        elif operation == "seal":
            if self.mutability != "immutable":
                return "RULE_BROKEN"
        elif operation == "add":
            if record in self.live:
                return "RULE_BROKEN"
            self.live[record] = [index, False]
        else:
            if self.mutability in KEEPING or record not in self.live:
                return "RULE_BROKEN"
            if self.live.pop(record)[1]:
                return "RECORD_WITHOUT_RECEIPT"
        self.receipts.add(bytes.fromhex(receipt["receipt_hash"]))
        self.newest = receipt
        return None

    def record(self, record):
        name, kind = record["record_hash"], record["kind"]
        code = self.content_fault(record) or self.rule_fault(record)
        if code:
            return code
        if self.newest["record_hash"] != name or self.live.get(name, [0])[0] != record["receipt_index"]:
            return "RECORD_WITHOUT_RECEIPT"
        self.live[name][1] = True
        self.unsaved = name if kind == "memory" else None
        if kind == "document":
            self.versions[record["path"]] = record["version"]
        else:
            self.saves[name if kind == "memory" else record["memory"]] = record.get("save_number", 0)
        self.hashes.append(name)
        self.records.add(bytes.fromhex(record["entry_hash"]))
        return None

    def content_fault(self, record):
        kind = record["kind"]
        if kind != "save" and sha256(record["text"].encode("utf-8")).hex() != record["content_hash"]:
            return "CONTENT_HASH_MISMATCH"
        named = {
            "document": ("path", "version", "type", "content_hash", "added_at", "expires_at"),
            "memory": ("owner", "content_hash"),
            "save": ("memory", "save_number", "agent_id", "saved_at", "expires_at", "metadata"),
        }[kind]
        if name_of([f"cassette/{kind}/1", *(record[name] for name in named)]) != record["record_hash"]:
            return "RECORD_HASH_MISMATCH"
        if name_of(without(record, "entry_hash", "text")) != record["entry_hash"]:
            return "ENTRY_HASH_MISMATCH"
        return None

    def rule_fault(self, record):
        kind = record["kind"]
        if self.unsaved and (kind != "save" or record["memory"] != self.unsaved):
            return "RULE_BROKEN"
        if kind != "memory" and (record["expires_at"] is None) == (self.mutability == "ephemeral"):
            return "RULE_BROKEN"
        if kind == "document":
            return self.document_fault(record)
        if self.mutability == "immutable":
            return "RULE_BROKEN"
        if kind == "memory":
            if len(record["text"].encode("utf-8")) > MAX_MEMORY:
                return "LIMIT_EXCEEDED"
            if record["owner"] != (self.agent if self.is_private else ""):
                return "RULE_BROKEN"
            return "RULE_BROKEN" if record["record_hash"] in self.saves else None
        if len(record["metadata"].encode("utf-8")) > MAX_METADATA:
            return "LIMIT_EXCEEDED"
        if not is_metadata(record["metadata"]):
            return "FIELD_INVALID"
        if self.is_private and record["agent_id"] != self.agent:
            return "RULE_BROKEN"
        return None if record["save_number"] == self.saves.get(record["memory"], -1) + 1 else "RULE_BROKEN"

    def document_fault(self, record):
        if len(record["text"].encode("utf-8")) > MAX_TEXT:
            return "LIMIT_EXCEEDED"
        before = self.versions.get(record["path"], 0)
        if before and self.mutability not in KEEPING:
            return "RULE_BROKEN"
        return None if record["version"] == before + 1 else "RULE_BROKEN"

    def end(self, manifest):
        if self.unsaved:
            raise Refused("RULE_BROKEN", "records.jsonl")
        for name, tree in (("receipts", self.receipts), ("records", self.records)):
            if tree.size != manifest["counts"][name]:
                raise Refused("COUNT_MISMATCH", f"{name}.jsonl")
            if tree.root() != manifest[f"{name}_root"]:
                raise Refused("ROOT_MISMATCH", f"{name}.jsonl")
        documents = Tree()
        for name in sorted(self.hashes):
            documents.add(bytes.fromhex(name))
        expected = {
            "receipt_head": self.newest["receipt_hash"] if self.newest else ZEROS,
            "migration_receipt": f"sha256:{self.migration}",
            "db_hash": name_of(["cassette/content/1", "1.0", documents.root()])[:16],
            "sealed": self.newest is not None and self.newest["operation"] == "seal",
        }
        if any(manifest[name] != value for name, value in expected.items()):
            raise Refused("MANIFEST_DIFFERS", "manifest.json")


def check_manifest(part):
    lines = list(part.lines(lambda _: MANIFEST))
    if len(lines) != 1:
        raise Refused("FIELD_INVALID", part.name, 1 if not lines else 2)
    _, manifest = lines[0]
    if name_of(without(manifest, "manifest_hash")) != manifest["manifest_hash"]:
        raise Refused("MANIFEST_HASH_MISMATCH", part.name, 1)
    if manifest["agent_id"] is not None and manifest["memories"] != "private":
        raise Refused("RULE_BROKEN", part.name, 1)
    return manifest


def check_content(parts):
    manifest = check_manifest(parts["manifest.json"])
    content = Content(manifest)
    records = parts["records.jsonl"].lines(fields_of_record)
    waiting = next(records, None)
    for line, receipt in parts["receipts.jsonl"].lines(lambda _: RECEIPT):
        code = content.receipt(receipt)
        if code:
            raise Refused(code, "receipts.jsonl", line)
        if waiting is None or waiting[1]["receipt_index"] > receipt["receipt_index"]:
            continue
        code = content.record(waiting[1])
        if code:
            raise Refused(code, "records.jsonl", waiting[0])
        waiting = next(records, None)
        if waiting and waiting[1]["receipt_index"] <= receipt["receipt_index"]:
            raise Refused("ORDER_WRONG", "records.jsonl", waiting[0])
    if waiting:
        raise Refused("RECORD_WITHOUT_RECEIPT", "records.jsonl", waiting[0])
    for index, is_carried in content.live.values():
        if not is_carried:
            raise Refused("RECORD_MISSING", "receipts.jsonl", index)
    content.end(manifest)


def parts_of_folder(path):
    for name in os.listdir(path):
        if name not in FILES:
            raise Refused("FILE_EXTRA", name)
    parts = {}
    for name in FILES:
        file = os.path.join(path, name)
        if not os.path.lexists(file):
            raise Refused("FILE_MISSING", name)
        if not stat.S_ISREG(os.lstat(file).st_mode):
            raise Refused("FILE_KIND", name)
        parts[name] = Part(name, open(file, "rb"), 0, os.path.getsize(file))
    return parts


def header_of(name, size):
    fields = name.encode().ljust(100, b"\0") + b"0000644\0" + b"0000000\0" * 2
    fields += b"%011o\0" % size + b"00000000000\0"
    rest = b"0" + bytes(100) + b"ustar\00000" + bytes(247)
    return fields + b"%06o\0 " % (sum(fields + b" " * 8 + rest)) + rest


def parts_of_archive(path):
    stream, at, parts = open(path, "rb"), 0, {}
    for name in FILES:
        stream.seek(at)
        header = stream.read(512)
        if not matches("[0-7]{11}")(header[124:135].decode("latin-1")):
            raise Refused("ARCHIVE_MALFORMED", name)
        size = int(header[124:135], 8)
        padding = -size % 512
        stream.seek(at + 512 + size)
        if header != header_of(name, size) or stream.read(padding) != bytes(padding):
            raise Refused("ARCHIVE_MALFORMED", name)
        parts[name] = Part(name, stream, at + 512, size)
        at += 512 + size + padding
    stream.seek(at)
    if stream.read(1025) != bytes(1024):
        raise Refused("ARCHIVE_MALFORMED", path)
    return parts


def check(path):
    if not os.path.exists(path):
        raise Refused("FILE_MISSING", path)
    if os.path.isdir(path):
        parts = parts_of_folder(path)
    elif os.path.isfile(path):
        parts = parts_of_archive(path)
    else:
        raise Refused("FILE_KIND", path)
    try:
        check_content(parts)
    finally:
        for part in parts.values():
            part.stream.close()


def main(paths):
    whole = True
    for path in paths:
        try:
            check(path)
            print(json.dumps({"path": path, "ok": True}))
        except Refused as refused:
            whole = False
            print(json.dumps({"path": path, "ok": False, **refused.found}))
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
