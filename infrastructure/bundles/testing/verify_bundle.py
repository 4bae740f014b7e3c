#!/usr/bin/env python3
"""A second verifier of bundles, written from docs/spec/bundles.md with Python's standard library alone.

For each path on the command line, or on standard input when there is none, prints one line of JSON: the path, the exit
code that docs/spec/bundles.md calls for, and the codes of what was found. It shares no line with the product.
"""

import hashlib
import json
import os
import re
import stat
import sys

FORBIDDEN = {"timestamp", "created_at", "updated_at", "cwd", "os", "locale"}
INVALID = {
    "MANIFEST_MISSING",
    "MANIFEST_UNREADABLE",
    "MANIFEST_TOO_LARGE",
    "MANIFEST_NOT_JSON",
    "VERSION_UNSUPPORTED",
    "FIELD_INVALID",
}
MAX_MANIFEST = 32 * 1024 * 1024
MAX_STEPS = 10_000
MAX_ARTIFACT = 4 * 1024**3
MAX_BUNDLE = 16 * 1024**3
SAFE = 2**53 - 1
SLICE = re.compile(r"(?:(lines|chars)\[(0|[1-9][0-9]*):(0|[1-9][0-9]*)\]|(head|tail)\(([1-9][0-9]*)\))\Z")
NAME = re.compile(r"[0-9a-f]{16}\.txt\Z")


class Broken(Exception):
    pass


def digest(text):
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def too_deep(text):
    depth, quoted, escaped = 0, False, False
    for character in text:
        if quoted:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                quoted = False
        elif character == '"':
            quoted = True
        elif character in "[{":
            depth += 1
            if depth > 64:
                return True
        elif character in "]}":
            depth -= 1
    return False


def no_surrogates(value):
    if isinstance(value, str):
        if any(0xD800 <= ord(character) <= 0xDFFF for character in value):
            raise Broken("half of a surrogate pair")
    elif isinstance(value, list):
        for item in value:
            no_surrogates(item)
    elif isinstance(value, dict):
        for key, member in value.items():
            no_surrogates(key)
            no_surrogates(member)


def whole(text):
    number = int(text)
    if abs(number) > SAFE:
        raise Broken("not exact")
    return number


def refuse(text):
    raise Broken(text)


def unique(pairs):
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Broken("a key stands twice")
    return found


def read_json(data):
    text = data.decode("utf-8")
    if too_deep(text):
        raise Broken("too deep")
    value = json.loads(
        text, object_pairs_hook=unique, parse_int=whole, parse_float=refuse, parse_constant=refuse
    )
    no_surrogates(value)
    return value


def is_int(value):
    return isinstance(value, int) and not isinstance(value, bool)


def is_text(value):
    return isinstance(value, str)


def is_texts(value):
    return isinstance(value, list) and all(map(is_text, value))


def is_object(value):
    return isinstance(value, dict)


def fields(value, required, optional=()):
    if not is_object(value):
        return False
    known = {**required, **dict(optional)}
    return set(required) <= set(value) <= set(known) and all(known[key](value[key]) for key in value)


def is_step(step):
    if not is_object(step) or step.get("op") not in ("READ_SYMBOL", "READ_SECTION"):
        return False
    ref = "symbol_id" if step["op"] == "READ_SYMBOL" else "section_id"
    return fields(
        step,
        {
            "step_id": is_text,
            "ordinal": is_int,
            "op": is_text,
            "refs": lambda refs: fields(refs, {ref: is_text}),
            "constraints": lambda given: is_object(given) and is_text(given.get("slice")),
            "expected_outputs": is_object,
        },
    )


def is_artifact(artifact):
    texts = {name: is_text for name in ("artifact_id", "kind", "ref", "slice", "path", "sha256")}
    return fields(artifact, {**texts, "bytes": is_int}) and artifact["kind"] in (
        "SYMBOL_SLICE",
        "SECTION_SLICE",
    )


def is_manifest(manifest):
    texts = ("bundle_version", "bundle_id", "run_id", "job_id", "message_id", "plan_hash")
    return fields(
        manifest,
        {
            **{name: is_text for name in texts},
            "steps": lambda steps: isinstance(steps, list) and all(map(is_step, steps)),
            "inputs": lambda inputs: fields(
                inputs, {"symbols": is_texts, "files": is_texts, "slices": is_texts}
            ),
            "artifacts": lambda listed: isinstance(listed, list) and all(map(is_artifact, listed)),
            "hashes": lambda hashes: fields(hashes, {"root_hash": is_text}),
            "provenance": lambda given: fields(given, {}, {"failed_steps": is_texts}),
        },
    )


def forbidden_in(value):
    if isinstance(value, list):
        return any(map(forbidden_in, value))
    if not is_object(value):
        return False
    return any(
        key in FORBIDDEN or (key not in ("constraints", "expected_outputs") and forbidden_in(member))
        for key, member in value.items()
    )


def is_id(text):
    data = text.encode("utf-8")
    return 1 <= len(data) <= 256 and not any(ord(c) < 32 or 127 <= ord(c) <= 159 for c in text)


def slice_code(text):
    bare = text.strip(" \t\n\r").lower()
    if bare in ("", "all"):
        return "SLICE_UNBOUNDED"
    found = SLICE.match(text)
    if not found:
        return "SLICE_INVALID"
    numbers = [int(number) for number in (found[2], found[3], found[5]) if number is not None]
    if any(number > SAFE for number in numbers) or (len(numbers) == 2 and numbers[0] >= numbers[1]):
        return "SLICE_INVALID"
    return None


def ref_of(step):
    return step["refs"]["symbol_id" if step["op"] == "READ_SYMBOL" else "section_id"]


def check_manifest(data, found):
    try:
        raw = read_json(data)
    except (Broken, ValueError, RecursionError):
        found.append("MANIFEST_NOT_JSON")
        return None
    if not is_object(raw):
        found.append("FIELD_INVALID")
        return None
    if forbidden_in(raw):
        found.append("FORBIDDEN_FIELD")
    if canonical(raw).encode("ascii") + b"\n" != data:
        found.append("MANIFEST_NOT_CANONICAL")
    if is_text(raw.get("bundle_version")) and raw["bundle_version"] != "5.0.0":
        found.append("VERSION_UNSUPPORTED")
        return None
    manifest = {key: member for key, member in raw.items() if key not in FORBIDDEN}
    if not is_manifest(manifest):
        found.append("FIELD_INVALID")
        return None
    steps, artifacts = manifest["steps"], manifest["artifacts"]
    sizes = [artifact["bytes"] for artifact in artifacts]
    if (
        max(len(steps), len(artifacts)) > MAX_STEPS
        or any(size > MAX_ARTIFACT for size in sizes)
        or sum(max(0, size) for size in sizes) > MAX_BUNDLE
    ):
        found.append("LIMIT_EXCEEDED")
        return None
    check_lists(manifest, found)
    check_hashes(raw, manifest, found)
    return manifest


def check_lists(manifest, found):
    steps, artifacts = manifest["steps"], manifest["artifacts"]
    ids = [manifest["run_id"], manifest["job_id"], manifest["message_id"]]
    ids += [step["step_id"] for step in steps] + [ref_of(step) for step in steps]
    if not all(map(is_id, ids)):
        found.append("ID_INVALID")
    if not steps:
        found.append("STEPS_EMPTY")
    if any(step["ordinal"] < 1 for step in steps):
        found.append("ORDINAL_INVALID")
    step_ids = [step["step_id"] for step in steps]
    if len(set(step_ids)) != len(steps):
        found.append("STEP_DUPLICATE")
    order = [(step["ordinal"], step["step_id"]) for step in steps]
    if order != sorted(order):
        found.append("STEP_ORDER")
    for text in [step["constraints"]["slice"] for step in steps] + [a["slice"] for a in artifacts]:
        code = slice_code(text)
        if code:
            found.append(code)
    named = {
        "symbols": sorted({ref_of(step) for step in steps if step["op"] == "READ_SYMBOL"}),
        "files": sorted({ref_of(step) for step in steps if step["op"] == "READ_SECTION"}),
        "slices": sorted({step["constraints"]["slice"] for step in steps}),
    }
    if named != manifest["inputs"]:
        found.append("INPUTS_MISMATCH")
    artifact_ids = [artifact["artifact_id"] for artifact in artifacts]
    if artifact_ids != sorted(set(artifact_ids)):
        found.append("ARTIFACT_ORDER")
    failed = manifest["provenance"].get("failed_steps")
    succeeded = [step for step in steps if step["step_id"] not in (failed or [])]
    kinds = {}
    for step in succeeded:
        kind = "SYMBOL_SLICE" if step["op"] == "READ_SYMBOL" else "SECTION_SLICE"
        kinds.setdefault((ref_of(step), step["constraints"]["slice"]), set()).add(kind)
    for artifact in artifacts:
        name, ref, text = artifact["artifact_id"], artifact["ref"], artifact["slice"]
        if digest(f"{ref}_{text}")[:16] != name:
            found.append("ARTIFACT_ID_MISMATCH")
        if artifact["path"] != f"artifacts/{name}.txt":
            found.append("ARTIFACT_PATH_INVALID")
        if (ref, text) not in kinds:
            found.append("ARTIFACT_UNREFERENCED")
        elif kinds[(ref, text)] != {artifact["kind"]}:
            found.append("ARTIFACT_KIND_MISMATCH")
    if failed is not None and (
        not failed or failed != sorted(set(failed)) or not set(failed) <= set(step_ids)
    ):
        found.append("FAILED_STEPS_INVALID")
    present = {(artifact["ref"], artifact["slice"]) for artifact in artifacts}
    for step in succeeded:
        if (ref_of(step), step["constraints"]["slice"]) not in present:
            found.append("STEP_WITHOUT_ARTIFACT")


def check_hashes(raw, manifest, found):
    plan = canonical(
        {
            "run_id": manifest["run_id"],
            "steps": sorted(manifest["steps"], key=lambda step: (step["ordinal"], step["step_id"])),
        }
    )
    if digest(plan) != manifest["plan_hash"]:
        found.append("PLAN_HASH_MISMATCH")
    ordered = sorted(manifest["artifacts"], key=lambda artifact: artifact["artifact_id"])
    lines = [f"{artifact['artifact_id']}:{artifact['sha256']}" for artifact in ordered]
    if digest("\n".join(lines) + "\n") != manifest["hashes"]["root_hash"]:
        found.append("ROOT_HASH_MISMATCH")
    unnamed = {**raw, "bundle_id": "", "hashes": {"root_hash": ""}}
    if digest(canonical(unnamed)) != manifest["bundle_id"]:
        found.append("BUNDLE_ID_MISMATCH")


def read_regular(path, most):
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise OSError("not a regular file")
        if facts.st_size > most:
            return None
        return file.read(most + 1)


def check_artifact(path, artifact, found):
    try:
        data = read_regular(path, artifact["bytes"])
    except OSError:
        found.append("FILE_UNREADABLE")
        return
    if data is None or len(data) != artifact["bytes"]:
        found.append("SIZE_MISMATCH")
        return
    if hashlib.sha256(data).hexdigest() != artifact["sha256"]:
        found.append("HASH_MISMATCH")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        found.append("TEXT_NOT_UTF8")
    if b"\r" in data:
        found.append("TEXT_HAS_CARRIAGE_RETURN")
    if data.startswith(b"\xef\xbb\xbf"):
        found.append("TEXT_HAS_BYTE_ORDER_MARK")
    if not data.endswith(b"\n"):
        found.append("FINAL_LINE_FEED_MISSING")


def check_folder(folder, manifest, found):
    named = {f"{artifact['artifact_id']}.txt": artifact for artifact in manifest["artifacts"]}
    artifacts = os.path.join(folder, "artifacts")
    present = set()
    for entry in os.scandir(folder):
        if entry.name == "artifacts":
            if not entry.is_dir(follow_symlinks=False):
                found.append("FILE_KIND")
                return
            present = {inner.name for inner in os.scandir(artifacts)}
        elif entry.name != "bundle.json":
            found.append("FILE_EXTRA")
    for name in sorted(present):
        if not NAME.match(name):
            found.append("FILE_NAME_INVALID")
        if name not in named:
            found.append("FILE_EXTRA")
    for name, artifact in named.items():
        if not NAME.match(name):
            continue
        if name not in present:
            found.append("FILE_MISSING")
        elif not stat.S_ISREG(os.lstat(os.path.join(artifacts, name)).st_mode):
            found.append("FILE_KIND")
        else:
            check_artifact(os.path.join(artifacts, name), artifact, found)


def verify(path):
    folder = os.path.dirname(path) if os.path.basename(path) == "bundle.json" else path
    found = []
    try:
        if "bundle.json" not in os.listdir(folder):
            return ["MANIFEST_MISSING"]
        data = read_regular(os.path.join(folder, "bundle.json"), MAX_MANIFEST)
    except (FileNotFoundError, NotADirectoryError):
        return ["MANIFEST_MISSING"]
    except OSError:
        return ["MANIFEST_UNREADABLE"]
    if data is None:
        return ["MANIFEST_TOO_LARGE"]
    manifest = check_manifest(data, found)
    if manifest is not None:
        check_folder(folder, manifest, found)
    return found


def main():
    for path in sys.argv[1:] or (line.rstrip("\n") for line in sys.stdin):
        found = sorted(set(verify(path)))
        code = 2 if INVALID & set(found) else 1 if found else 0
        print(json.dumps({"path": path, "exit": code, "codes": found}), flush=True)


main()
