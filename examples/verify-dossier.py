#!/usr/bin/env python3
"""A second verifier of dossiers, written from docs/spec/dossiers.md with Python's standard library alone.

    python3 verify-dossier.py --trust trust.json PATH...

A path is a dossier's folder, or a packed one; without paths they are read from standard input, one a line. For each, one
line of JSON is printed: the path, the exit code that the specification calls for, and the codes of what was found. The
process ends with the largest of them: 0 means that everything holds, and docs/spec/dossiers.md says what each code means.
Whether something was left out only the ledger can tell. It shares no line with the product, and it holds whole files in
memory.
"""

import base64
import calendar
import hashlib
import io
import json
import math
import os
import re
import stat
import sys

FILES = ["checkpoint.txt", "events.jsonl", "proofs.jsonl", "thoughts.jsonl"]
INVALID = {
    "MANIFEST_MISSING",
    "MANIFEST_UNREADABLE",
    "MANIFEST_TOO_LARGE",
    "MANIFEST_NOT_JSON",
    "VERSION_UNSUPPORTED",
    "FIELD_INVALID",
}
ZEROS = "0" * 64
SAFE = 2**53 - 1
HEX = re.compile(r"[0-9a-f]{64}\Z")
JOB = re.compile(r"job_[0-9]{13}_[0-9a-f]{16}\.[0-9]{4}\Z")
MOMENT = r"([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
TIME = re.compile(MOMENT + r"\.[0-9]{3}Z\Z")
ZONED = re.compile(MOMENT + r"(?:\.[0-9]{1,9})?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])\Z")
TRACE = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}\Z")
BUNDLED = re.compile(r"bundles/job_[0-9]{13}_[0-9a-f]{16}\.[0-9]{4}/(bundle\.json|artifacts/[0-9a-f]{16}\.txt)\Z")
BODIES = {"payload": "payload_sha256", "receipt": "receipt_sha256", "content": "content_sha256"}
SHAPES = {
    "MessagePosted": ({"idempotency_key", "message_id", "payload", "source"}, {"jobs", "steps", "traceparent"}),
    "StepClaimed": ({"fencing_token", "lease_expires_at", "scope", "step_id", "worker_id"}, {"traceparent"}),
    "StepCompleted": ({"fencing_token", "outcome", "receipt", "step_id", "worker_id"}, {"traceparent"}),
    "StepRequeued": ({"cause", "fencing_token", "reason", "requested_by", "step_id", "worker_id"}, set()),
    "LeaseRenewed": ({"fencing_token", "lease_expires_at", "previous_token", "step_id", "worker_id"}, set()),
    "ThoughtRecorded": ({"agent_id", "content", "hash", "id", "prev_hash", "timestamp", "type"}, set()),
}
WITH_BODIES = {"MessagePosted", "StepCompleted", "ThoughtRecorded"}


class Broken(Exception):
    """Something that ends the reading of one thing; it was reported, or is where it is caught."""


def sha(data):
    return hashlib.sha256(data if isinstance(data, bytes) else data.encode("utf-8")).hexdigest()


# --- canonical JSON (RFC 8785) ---------------------------------------------------------------------------------------


def no_doubles(pairs):
    if len({key for key, _ in pairs}) != len(pairs):
        raise Broken("a key twice")
    return dict(pairs)


def read_json(text):
    def constant(name):
        raise Broken(name)

    try:
        return json.loads(text, object_pairs_hook=no_doubles, parse_constant=constant)
    except (ValueError, RecursionError) as error:
        raise Broken("no JSON") from error


def number(value):
    """A number as ECMAScript prints it."""
    if isinstance(value, int) and abs(value) <= SAFE:
        return str(value)
    try:
        value = float(value)
    except OverflowError as error:
        raise Broken("no number of 64 bits") from error
    if not math.isfinite(value):
        raise Broken("no number of 64 bits")
    if value == 0:
        return "0"
    mantissa, _, exponent = repr(value).partition("e")
    sign, mantissa = ("-", mantissa[1:]) if mantissa.startswith("-") else ("", mantissa)
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    point = len(whole) + int(exponent or 0)
    digits = (whole + fraction).lstrip("0")
    point -= len(whole + fraction) - len(digits)
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    power = f"e{'+' if point > 0 else '-'}{abs(point - 1)}"
    return sign + digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + power


def canonical(value):
    if value is None or isinstance(value, bool) or isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (int, float)):
        return number(value)
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
    return "{" + ",".join(f"{canonical(key)}:{canonical(value[key])}" for key in keys) + "}"


def read_canonical(text):
    """The object that a canonical text spells."""
    value = read_json(text)
    try:
        if not isinstance(value, dict) or canonical(value) != text:
            raise Broken("not canonical")
        text.encode("utf-8")
    except (UnicodeEncodeError, RecursionError) as error:
        raise Broken("not canonical") from error
    return value


def is_int(value):
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= SAFE


def is_id(value):
    if not isinstance(value, str) or not value:
        return False
    if any(ord(character) < 32 or 127 <= ord(character) <= 159 for character in value):
        return False
    return len(value.encode("utf-8", "surrogatepass")) <= 256


def is_time(value, form=TIME):
    found = form.match(value) if isinstance(value, str) else None
    return found is not None and int(found[3]) <= calendar.monthrange(int(found[1]), int(found[2]))[1]


def is_text(value):
    return isinstance(value, str) and "\0" not in value


def is_count(value):
    return is_int(value) and value >= 1


def one_of(*texts):
    return lambda value: isinstance(value, str) and value in texts


def is_hash(value):
    return isinstance(value, str) and HEX.match(value) is not None


def is_step(value):
    return isinstance(value, dict) and set(value) == {"job", "payload"} and is_count(value["job"]) and isinstance(value["payload"], dict)


def some(holds, most):
    return lambda value: isinstance(value, list) and 0 < len(value) <= most and all(map(holds, value))


# What a member of an event's data must be, by its name.
MEMBERS = {
    "agent_id": is_id,
    "cause": one_of("expired", "released", "forced"),
    "content": is_text,
    "fencing_token": is_count,
    "hash": is_hash,
    "id": is_id,
    "idempotency_key": lambda value: value is None or is_id(value),
    "jobs": some(lambda value: is_text(value) and len(value.encode("utf-8")) <= 65536, 1000),
    "lease_expires_at": is_time,
    "message_id": is_text,
    "outcome": one_of("SUCCESS", "FAILURE", "ABORTED"),
    "payload": lambda value: isinstance(value, dict),
    "prev_hash": is_hash,
    "previous_token": is_count,
    "reason": is_text,
    "receipt": lambda value: isinstance(value, dict),
    "requested_by": is_id,
    "scope": one_of("run", "job"),
    "source": one_of("USER", "PLANNER", "SYSTEM", "WORKER"),
    "step_id": is_text,
    "steps": some(is_step, 10000),
    "timestamp": lambda value: is_time(value, ZONED),
    "traceparent": lambda value: isinstance(value, str) and TRACE.match(value) is not None,
    "type": one_of("plan", "analysis", "decision", "reflection"),
    "worker_id": is_id,
}


# --- Ed25519 (RFC 8032, section 5.1) ----------------------------------------------------------------------------------

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def decompress(data):
    """The point (extended coordinates) that 32 bytes spell in their one encoding, or None."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * ROOT % P
    if (x * x - square) % P != 0 or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return (x, y, 1, x * y % P)


def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def multiply(scalar, point):
    result = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point, scalar = add(point, point), scalar >> 1
    return result


def same(p, q):
    return (p[0] * q[2] - q[0] * p[2]) % P == 0 and (p[1] * q[2] - q[1] * p[2]) % P == 0


def is_small(point):
    return same(multiply(8, point), (0, 1, 1, 0))


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE = decompress(BASE_Y.to_bytes(32, "little"))


def signed(key, message, signature):
    if len(signature) != 64:
        return False
    public, r = decompress(key), decompress(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if public is None or r is None or s >= ORDER or is_small(public) or is_small(r):
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % ORDER
    return same(multiply(s, BASE), add(r, multiply(k, public)))


# --- trust files, checkpoints and proofs ------------------------------------------------------------------------------


def exact_base64(text):
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError as error:
        raise Broken("no base64") from error
    if base64.b64encode(data).decode() != text:
        raise Broken("another spelling of base64")
    return data


def key_bytes(text):
    body = re.fullmatch(r"-----BEGIN PUBLIC KEY-----\n([A-Za-z0-9+/=]+)\n-----END PUBLIC KEY-----\n?", text)
    spki = exact_base64(body.group(1) if body else text)
    if len(spki) != 44 or spki[:12] != bytes.fromhex("302a300506032b6570032100"):
        raise Broken("no Ed25519 key")
    return spki[12:]


def parse_note(data):
    """Origin, size, root, the signed text and the signatures (name, key hash, signature) of a checkpoint."""
    try:
        note = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Broken("no UTF-8") from error
    if any(ord(character) < 32 and character != "\n" for character in note) or not note.endswith("\n"):
        raise Broken("no note")
    text, blank, tail = note.rpartition("\n\n")
    if not blank:
        raise Broken("no signatures")
    signatures = []
    for line in tail[:-1].split("\n"):
        parts = line.split(" ")
        if len(parts) != 3 or parts[0] != "\u2014" or not parts[1] or "+" in parts[1]:
            raise Broken("no signature line")
        blob = exact_base64(parts[2])
        if len(blob) < 5:
            raise Broken("no signature")
        signatures.append((parts[1], blob[:4], blob[4:]))
    lines = text.split("\n")
    if len(lines) != 3 or not lines[0] or not re.fullmatch(r"0|[1-9][0-9]{0,15}", lines[1]) or len(signatures) > 64:
        raise Broken("not three lines")
    root = exact_base64(lines[2])
    if len(root) != 32 or int(lines[1]) > SAFE:
        raise Broken("no root")
    return lines[0], int(lines[1]), root, (text + "\n").encode("utf-8"), signatures


def is_trusted(trust, origin, text, signatures):
    trusted = False
    for entry in trust["keys"]:
        key, name = key_bytes(entry["public_key"]), entry["name"]
        mark = hashlib.sha256(name.encode() + b"\n\x01" + key).digest()[:4]
        own = [signature for other, hash4, signature in signatures if other == name and hash4 == mark]
        if not own or not entry["enabled"]:
            continue
        if not all(signed(key, text, signature) for signature in own):
            return False
        if origin in {f"cassette/{ledger}" for ledger in entry["scope"].get("ledgers", [])}:
            trusted = True
    return trusted


def node(left, right):
    return hashlib.sha256(b"\x01" + left + right).digest()


def leads_to(size, index, leaf, path, root):
    """RFC 9162, section 2.1.3.2."""
    if not 0 <= index < size:
        return False
    place, last = index, size - 1
    for other in path:
        if last == 0:
            return False
        if place % 2 == 1 or place == last:
            leaf = node(other, leaf)
            while place % 2 == 0 and place != 0:
                place, last = place // 2, last // 2
        else:
            leaf = node(leaf, other)
        place, last = place // 2, last // 2
    return last == 0 and leaf == root


# --- the folder ---------------------------------------------------------------------------------------------------------


class Folder:
    """What stands in a folder or in a packed one: names with their kinds, and the bytes of regular files."""

    def __init__(self, path):
        self.kinds = {}
        self.packed = {}
        self.path = path
        if os.path.isdir(path):
            self.walk("")
        elif os.path.isfile(path):
            self.unpack(open(path, "rb").read())

    def walk(self, prefix):
        for entry in os.scandir(os.path.join(self.path, prefix)):
            name = prefix + entry.name
            mode = entry.stat(follow_symlinks=False).st_mode
            kind = "file" if stat.S_ISREG(mode) else "folder" if stat.S_ISDIR(mode) else "other"
            self.kinds[name] = kind
            if kind == "folder":
                self.walk(name + "/")

    def unpack(self, data):
        archive, before = io.BytesIO(data), ""
        while True:
            header = archive.read(512)
            if header == bytes(512):
                break
            name = header[:100].split(b"\0")[0].decode("latin-1")
            digits = header[124:135].decode("latin-1")
            if not re.fullmatch(r"[!-~]+", name) or not re.fullmatch(r"[0-7]{11}", digits):
                raise Broken("no header")
            size = int(digits, 8)
            fields = [name.encode().ljust(100, b"\0"), b"0000644\0", b"0000000\0", b"0000000\0", f"{size:011o}\0".encode()]
            made = b"".join(fields) + b"00000000000\0" + b"        " + b"0" + bytes(100) + b"ustar\00000"
            made = made.ljust(512, b"\0")
            made = made[:148] + f"{sum(made):06o}\0 ".encode() + made[156:]
            if header != made or name <= before:
                raise Broken("not as it is packed")
            if name not in FILES and name != "dossier.json" and not BUNDLED.match(name):
                raise Broken("another name")
            self.packed[name] = archive.read(size)
            if len(self.packed[name]) != size or any(archive.read(-size % 512)):
                raise Broken("cut off")
            parts = name.split("/")
            for depth in range(1, len(parts)):
                self.kinds["/".join(parts[:depth])] = "folder"
            self.kinds[name], before = "file", name
        if archive.read() != bytes(512):
            raise Broken("no end")

    def read(self, name):
        if name in self.packed:
            return self.packed[name]
        descriptor = os.open(os.path.join(self.path, name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            return file.read()


# --- the fold of events -------------------------------------------------------------------------------------------------


class Fold:
    """Steps and thoughts as the events make them; `fits` says whether an event can follow."""

    def __init__(self, whole):
        self.whole, self.steps, self.keys, self.receipts = whole, {}, {}, {}
        self.newest, self.thoughts = {}, set()

    def fits(self, event, data):
        kind = event["type"]
        if kind == "MessagePosted":
            return self.posts(data)
        if kind == "ThoughtRecorded":
            new = data["id"] not in self.thoughts
            self.thoughts.add(data["id"])
            return new
        step = self.steps.get(data["step_id"])
        if step is None:
            return False
        if kind == "StepClaimed":
            return self.claims(event, data, step)
        token = data["previous_token"] if kind == "LeaseRenewed" else data["fencing_token"]
        if step["status"] != "LEASED" or data["worker_id"] != step["worker"] or token != step["token"]:
            return False
        over = event["recorded_at"] >= step["end"]
        if kind == "StepRequeued":
            if (data["cause"] == "expired" and not over) or (data["cause"] == "forced" and not data["reason"]):
                return False
            step["status"] = "PENDING"
        elif over:
            return False
        elif kind == "LeaseRenewed":
            if data["fencing_token"] != step["token"] + 1 or data["lease_expires_at"] <= event["recorded_at"]:
                return False
            step.update(token=data["fencing_token"], end=data["lease_expires_at"])
        else:
            step["status"] = "COMMITTED"
            self.receipts[data["step_id"]] = data
        return True

    def posts(self, data):
        stem = data["message_id"][len("msg_") :]
        intents = data.get("jobs", [""])
        steps = data.get("steps", [{"job": 1, "payload": data.get("payload")}])
        if ("jobs" in data) != ("steps" in data):
            return False
        key = data["idempotency_key"]
        if key is not None and key in self.keys:
            return False
        self.keys[key] = data["message_id"]
        job, born = 0, {}
        for step in steps:
            if step["job"] not in (job, job + 1):
                return False
            job = step["job"]
            born[job] = born.get(job, 0) + 1
            name = f"step_{stem}.{job:04d}.{born[job]:05d}"
            self.steps[name] = {"status": "PENDING", "token": 0, "job": f"job_{stem}.{job:04d}", "payload": step["payload"]}
        return job == len(intents)

    def claims(self, event, data, step):
        if step["status"] != "PENDING" or data["fencing_token"] != step["token"] + 1:
            return False
        if data["lease_expires_at"] <= event["recorded_at"]:
            return False
        if self.whole or data["scope"] == "job":
            near = [name for name, other in self.steps.items() if other["status"] == "PENDING"]
            if data["scope"] == "job":
                near = [name for name in near if self.steps[name]["job"] == step["job"]]
            if min(near) != data["step_id"]:
                return False
        step.update(status="LEASED", token=data["fencing_token"], worker=data["worker_id"], end=data["lease_expires_at"])
        return True


# --- a dossier ----------------------------------------------------------------------------------------------------------


class Verifier:
    def __init__(self, path, trust):
        self.folder, self.trust, self.codes = Folder(path), trust, []

    def tell(self, code):
        self.codes.append(code)

    def verify(self):
        manifest = self.manifest()
        if manifest is None:
            return
        self.names(manifest)
        contents = {}
        for entry in manifest["files"]:
            contents[entry["path"]] = self.content(entry)
        try:
            checkpoint = parse_note(contents["checkpoint.txt"]) if contents["checkpoint.txt"] is not None else None
        except Broken:
            self.tell("CHECKPOINT_INVALID")
            checkpoint = None
        if checkpoint is None or any(content is None for content in contents.values()):
            return
        origin, size, root, text, signatures = checkpoint
        said = manifest["checkpoint"]
        if (origin, size, root.hex()) != (f"cassette/{manifest['ledger_id']}", said["size"], said["root"]):
            self.tell("CHECKPOINT_DIFFERS")
        if not is_trusted(self.trust, origin, text, signatures):
            self.tell("CHECKPOINT_UNTRUSTED")
        fold = self.events(manifest, contents, size, root)
        for entry in manifest["bundles"]:
            self.bundle(manifest, entry, fold)

    def manifest(self):
        kind = self.folder.kinds.get("dossier.json")
        if kind is None:
            return self.tell("MANIFEST_MISSING")
        if kind != "file":
            return self.tell("MANIFEST_UNREADABLE")
        data = self.folder.read("dossier.json")
        if len(data) > 4 * 2**20:
            return self.tell("MANIFEST_TOO_LARGE")
        try:
            text = data.decode("utf-8")
            value = read_json(text)
            canonical(value).encode("utf-8")
        except (Broken, UnicodeError, RecursionError):
            return self.tell("MANIFEST_NOT_JSON")
        if not isinstance(value, dict):
            return self.tell("FIELD_INVALID")
        kind, version = value.get("kind"), value.get("version")
        if isinstance(kind, str) and isinstance(version, str) and (kind, version) != ("cassette/dossier", "1.0.0"):
            return self.tell("VERSION_UNSUPPORTED")
        if not self.has_form(value):
            return self.tell("FIELD_INVALID")
        if canonical(value) + "\n" != text:
            self.tell("MANIFEST_NOT_CANONICAL")
        if sha(canonical({key: member for key, member in value.items() if key != "root_hash"})) != value["root_hash"]:
            self.tell("ROOT_HASH_MISMATCH")
        if not self.has_lists(value):
            return self.tell("CHOICE_INVALID")
        return value

    @staticmethod
    def has_form(value):
        def record(item, **types):
            if not isinstance(item, dict) or set(item) != set(types):
                return False
            return all(is_int(item[name]) if kind is int else isinstance(item[name], kind) for name, kind in types.items())

        def texts(items):
            return isinstance(items, list) and all(isinstance(item, str) for item in items)

        def records(items, **types):
            return isinstance(items, list) and all(record(item, **types) for item in items)

        top = {"kind": str, "version": str, "ledger_id": str, "choice": dict, "bodies": str, "checkpoint": dict}
        if not record(value, **top, streams=list, bundles=list, files=list, root_hash=str):
            return False
        choice = value["choice"]
        return (
            set(choice) == {"run_id", "jobs", "tasks"}
            and (choice["run_id"] is None or isinstance(choice["run_id"], str))
            and (choice["jobs"] is None or texts(choice["jobs"]))
            and texts(choice["tasks"])
            and value["bodies"] in ("whole", "hashed")
            and record(value["checkpoint"], size=int, root=str)
            and records(value["streams"], stream_id=str, count=int, first=int, last=int, positions_sha256=str)
            and records(value["bundles"], job_id=str, bundle_id=str, sha256=str)
            and records(value["files"], path=str, bytes=int, sha256=str)
            and all(entry["path"] in FILES for entry in value["files"])
        )

    @staticmethod
    def has_lists(value):
        choice = value["choice"]
        run, jobs, tasks = choice["run_id"], choice["jobs"], choice["tasks"]
        carried = [entry["job_id"] for entry in value["bundles"]]
        streams = ([] if run is None else [f"run:{run}"]) + [f"task:{task}" for task in tasks]
        hashes = [value["checkpoint"]["root"]] + [entry["sha256"] for entry in value["files"] + value["bundles"]]
        hashes += [entry["positions_sha256"] for entry in value["streams"]]

        def ordered(items):
            return items == sorted(set(items))

        return (
            (run is not None or tasks)
            and (run is None or is_id(run))
            and (jobs is None or (run is not None and jobs and ordered(jobs) and all(map(JOB.match, jobs))))
            and ordered(tasks)
            and all(map(is_id, tasks))
            and ordered(carried)
            and all(JOB.match(job) and (jobs is None or job in jobs) for job in carried)
            and (not carried or (run is not None and value["bodies"] == "whole"))
            and [entry["stream_id"] for entry in value["streams"]] == streams
            and [entry["path"] for entry in value["files"]] == FILES
            and is_id(value["ledger_id"])
            and all(map(HEX.match, hashes))
        )

    def names(self, manifest):
        carried = {f"bundles/{entry['job_id']}" for entry in manifest["bundles"]}
        folders = carried | ({"bundles"} if carried else set())
        for name, kind in self.folder.kinds.items():
            if any(name.startswith(folder + "/") for folder in carried):
                continue
            if "/" in name and not name.startswith("bundles/"):
                continue
            expected = "file" if name in FILES or name == "dossier.json" else "folder" if name in folders else None
            if name.count("/") > 1:
                continue
            if expected is None:
                self.tell("FILE_EXTRA")
            elif kind != expected:
                self.tell("FILE_KIND")
        for name in [*FILES, *carried]:
            if name not in self.folder.kinds:
                self.tell("FILE_MISSING")

    def content(self, entry):
        if self.folder.kinds.get(entry["path"]) != "file":
            return None
        data = self.folder.read(entry["path"])
        if len(data) != entry["bytes"]:
            self.tell("SIZE_MISMATCH")
            return data if entry["path"] == "checkpoint.txt" else None
        if sha(data) != entry["sha256"]:
            self.tell("HASH_MISMATCH")
        return data

    def lines(self, data):
        texts = []
        pieces = data.split(b"\n")
        if pieces[-1] != b"":
            self.tell("LINE_INVALID")
        else:
            pieces.pop()
        for piece in pieces:
            try:
                texts.append(piece.decode("utf-8"))
            except UnicodeDecodeError:
                self.tell("LINE_INVALID")
                texts.append(piece.decode("utf-8", "replace"))
        return texts

    def events(self, manifest, contents, size, root):
        choice = manifest["choice"]
        proofs = self.lines(contents["proofs.jsonl"])
        thoughts = self.lines(contents["thoughts.jsonl"])
        met = {entry["stream_id"]: [] for entry in manifest["streams"]}
        fold, before, posted = Fold(choice["jobs"] is None), None, set()
        for line in self.lines(contents["events.jsonl"]):
            proof = proofs.pop(0) if proofs else None
            event = self.event(line)
            if event is None:
                continue
            position = event["position"]
            if not 1 <= position <= size or (before is not None and position <= before["position"]):
                self.tell("EVENT_ORDER")
            if event["stream_id"] in met:
                met[event["stream_id"]].append(position)
            else:
                self.tell("EVENT_NOT_CHOSEN")
            self.link(event, before)
            before = event
            data = self.data(event, manifest["bodies"] == "hashed")
            if data is not None:
                self.follow(choice, fold, posted, event, data)
            self.proof(event, proof, size, root)
            if event["type"] == "ThoughtRecorded" and event["stream_id"].startswith("task:"):
                self.thought(event, thoughts.pop(0) if thoughts else None)
        if proofs or thoughts:
            self.tell("LINE_INVALID")
        for entry in manifest["streams"]:
            positions = met[entry["stream_id"]]
            digest = sha("".join(f"{position}\n" for position in positions))
            counted = (entry["count"], entry["first"], entry["last"], entry["positions_sha256"])
            if not positions or counted != (len(positions), positions[0], positions[-1], digest):
                self.tell("STREAM_MISMATCH")
        if choice["jobs"] is not None and not set(choice["jobs"]) <= posted:
            self.tell("STREAM_MISMATCH")
        return fold

    def event(self, line):
        try:
            event = read_canonical(line)
        except Broken:
            return self.tell("LINE_INVALID")
        members = {"hash", "position", "prev_hash", "recorded_at", "schema_version", "stream_id", "type"}
        texts = {"hash", "prev_hash", "recorded_at", "stream_id", "type"}
        body = {"withheld"} if "withheld" in event else {"data"}
        if set(event) != members | body or not all(isinstance(event[name], str) for name in texts | body):
            return self.tell("LINE_INVALID")
        if not is_int(event["position"]) or not is_int(event["schema_version"]):
            return self.tell("LINE_INVALID")
        return event

    def link(self, event, before):
        broken = not is_time(event["recorded_at"])
        if before is not None:
            broken |= event["recorded_at"] < before["recorded_at"]
            broken |= event["position"] == before["position"] + 1 and event["prev_hash"] != before["hash"]
        if "data" in event:
            order = ("position", "type", "stream_id", "schema_version", "data", "recorded_at", "prev_hash")
            broken |= sha(canonical(["cassette/event/1", *(event[name] for name in order)])) != event["hash"]
        else:
            broken |= not HEX.match(event["hash"]) or not HEX.match(event["prev_hash"])
        if broken:
            self.tell("CHAIN_BROKEN")

    def data(self, event, hashed):
        left = "withheld" in event
        if left != (hashed and event["type"] in WITH_BODIES):
            self.tell("LINE_INVALID")
        try:
            data = read_canonical(event["withheld"] if left else event["data"])
        except Broken:
            return self.tell("DATA_NOT_CANONICAL")
        data = self.restored(data) if left else data
        required, optional = SHAPES.get(event["type"], (None, set()))
        if required is None or event["schema_version"] != 1 or not required <= set(data) <= required | optional:
            return self.tell("EVENT_INVALID")
        stream = "task:" if event["type"] == "ThoughtRecorded" else "run:"
        if not event["stream_id"].startswith(stream) or not all(MEMBERS[name](value) for name, value in data.items()):
            return self.tell("EVENT_INVALID")
        if event["type"] == "MessagePosted":
            key, run = data["idempotency_key"], event["stream_id"][len("run:") :]
            source = ["message", run, "position", event["position"]] if key is None else ["message", run, "key", key]
            if data["message_id"] != f"msg_{event['position']:013d}_{sha(canonical(source))[:16]}":
                self.tell("MESSAGE_ID_FORGED")
        return data

    @staticmethod
    def restored(data):
        def restore(part):
            whole = {}
            for name, value in part.items():
                body = next((body for body, hashed in BODIES.items() if hashed == name), None)
                if body is not None and isinstance(value, str) and HEX.match(value):
                    whole[body] = "" if body == "content" else {}
                elif body is None and name not in BODIES:
                    whole[name] = value
            return whole

        data = restore(data)
        if isinstance(data.get("steps"), list):
            data["steps"] = [restore(step) if isinstance(step, dict) else step for step in data["steps"]]
        return data

    def follow(self, choice, fold, posted, event, data):
        jobs = choice["jobs"]
        if jobs is not None and event["type"] != "ThoughtRecorded":
            own = {f"job_{data['step_id'][5:-6]}"} if "step_id" in data else set()
            if event["type"] == "MessagePosted":
                count = len(data.get("jobs", [""]))
                own = {f"job_{data['message_id'][4:]}.{number:04d}" for number in range(1, count + 1)}
                posted |= own
            if not own & set(jobs):
                return self.tell("EVENT_NOT_CHOSEN")
        if event["type"] == "ThoughtRecorded":
            task = event["stream_id"][len("task:") :]
            if data["prev_hash"] != fold.newest.get(task, ZEROS):
                self.tell("THOUGHT_CHAIN_BROKEN")
            fields = {name: data[name] for name in ("content", "id", "prev_hash", "timestamp", "type")}
            if "data" in event and sha(canonical({**fields, "task_id": task})) != data["hash"]:
                self.tell("THOUGHT_HASH_MISMATCH")
            fold.newest[task] = data["hash"]
        try:
            fits = fold.fits(event, data)
        except (KeyError, TypeError, ValueError):
            fits = False
        if not fits:
            self.tell("FOLD_IMPOSSIBLE")

    def proof(self, event, line, size, root):
        if line is None:
            return self.tell("PROOF_REFUSED")
        try:
            proof = read_canonical(line)
        except Broken:
            return self.tell("LINE_INVALID")
        path = proof.get("path")
        formed = set(proof) == {"hash", "index", "kind", "path", "size"} and proof["kind"] == "inclusion"
        formed = formed and is_int(proof["index"]) and is_int(proof["size"]) and isinstance(path, list)
        hashes = [proof.get("hash"), *(path or [])]
        if not formed or not all(isinstance(entry, str) and HEX.match(entry) for entry in hashes):
            return self.tell("LINE_INVALID")
        leaf = hashlib.sha256(b"\x00" + bytes.fromhex(proof["hash"])).digest()
        named = proof["hash"] == event["hash"] and proof["index"] == event["position"] - 1 and proof["size"] == size
        if not named or not leads_to(size, proof["index"], leaf, [bytes.fromhex(entry) for entry in path], root):
            self.tell("PROOF_REFUSED")

    def thought(self, event, line):
        try:
            data = read_canonical(event["withheld"] if "withheld" in event else event["data"])
        except Broken:
            return
        if line != canonical({**data, "task_id": event["stream_id"][len("task:") :]}):
            self.tell("THOUGHT_DIFFERS")

    def bundle(self, manifest, entry, fold):
        """What binds a bundle to the dossier and to the events; docs/spec/bundles.md has the rest."""
        place = f"bundles/{entry['job_id']}"
        files = {name[len(place) + 1 :]: kind for name, kind in self.folder.kinds.items() if name.startswith(place + "/")}
        try:
            if files.pop("bundle.json", None) != "file" or files.pop("artifacts", "folder") != "folder":
                raise Broken("no manifest")
            data = self.folder.read(f"{place}/bundle.json")
            bundle = read_json(data.decode("utf-8"))
            if json.dumps(bundle, sort_keys=True, separators=(",", ":")) + "\n" != data.decode("utf-8"):
                raise Broken("not canonical")
            held = {artifact["path"]: artifact for artifact in bundle["artifacts"]}
            if set(files) != set(held) or set(files.values()) - {"file"}:
                raise Broken("other files")
            texts = {name: self.folder.read(f"{place}/{name}") for name in held}
            for name, text in texts.items():
                if sha(text) != held[name]["sha256"] or len(text) != held[name]["bytes"]:
                    raise Broken("another text")
            unnamed = {**bundle, "bundle_id": "", "hashes": {**bundle["hashes"], "root_hash": ""}}
            if sha(json.dumps(unnamed, sort_keys=True, separators=(",", ":"))) != bundle["bundle_id"]:
                raise Broken("another id")
            steps = bundle["steps"]
        except (Broken, KeyError, TypeError, ValueError, OSError):
            return self.tell("BUNDLE_UNSOUND")
        named = (bundle["job_id"], bundle["bundle_id"], sha(data)) == (entry["job_id"], entry["bundle_id"], entry["sha256"])
        if not named or bundle["run_id"] != manifest["choice"]["run_id"] or not self.agrees(entry["job_id"], steps, held, texts, fold):
            self.tell("BUNDLE_DISAGREES")

    @staticmethod
    def agrees(job, steps, held, texts, fold):
        made = {name: step for name, step in fold.steps.items() if step["job"] == job}
        if {step["step_id"] for step in steps} != set(made):
            return False
        for step in steps:
            rest = {name: value for name, value in step.items() if name not in ("step_id", "ordinal")}
            if made[step["step_id"]]["payload"] != rest or step["step_id"] not in fold.receipts:
                return False
            receipt = fold.receipts[step["step_id"]]
            if receipt["outcome"] != "SUCCESS":
                continue
            ref = step["refs"].get("symbol_id") or step["refs"].get("section_id")
            name = f"artifacts/{sha(ref + '_' + step['constraints']['slice'])[:16]}.txt"
            body = receipt["receipt"]
            if name not in texts or not 0 <= len(texts[name]) - body["bytes_read"] <= 1:
                return False
            if sha(texts[name][: body["bytes_read"]]) != body["payload_hash"]:
                return False
        return True


def judge(path, trust):
    try:
        verifier = Verifier(path, trust)
    except Broken:
        return 2, ["NOT_A_DOSSIER_ARCHIVE"]
    verifier.verify()
    codes = sorted(set(verifier.codes))
    return (2 if set(codes) & INVALID else 1 if codes else 0), codes


def main(arguments):
    if len(arguments) < 2 or arguments[0] != "--trust":
        sys.exit(__doc__)
    try:
        with open(arguments[1], encoding="utf-8") as file:
            trust = json.load(file)
    except (OSError, ValueError) as error:
        print(f"{arguments[1]} is not a trust file: {error}", file=sys.stderr)
        sys.exit(2)
    paths = arguments[2:] or [line.rstrip("\n") for line in sys.stdin]
    worst = 0
    for path in paths:
        code, codes = judge(path, trust)
        worst = max(worst, code)
        print(json.dumps({"path": path, "exit": code, "codes": codes}))
    sys.exit(worst)


if __name__ == "__main__":
    main(sys.argv[1:])
