#!/usr/bin/env python3
"""The embedder `command` for cortex network, with a sentence-transformers model.

Needs `pip install sentence-transformers`. In CORTEX/network.yaml:

    indexing:
      model: all-MiniLM-L6-v2
      revision: "1"
      dimensions: 384
      batch_size: 100
      embedder: command
      command: [python3, sentence-embedder.py]

It answers lines of JSON on standard output: {"id": 1, "texts": [...]} by {"id": 1, "vectors": [[...], ...]}.
Everything else belongs to standard error.
"""
import json
import sys

from sentence_transformers import SentenceTransformer

model = SentenceTransformer("sentence-transformers/all-MiniLM-L6-v2")

for line in sys.stdin:
    request = json.loads(line)
    vectors = model.encode(request["texts"], normalize_embeddings=True)
    print(json.dumps({"id": request["id"], "vectors": vectors.tolist()}), flush=True)
