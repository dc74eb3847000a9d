#!/usr/bin/python3
"""A container image as one file, from a root file system: image.py ROOT.tar DOCKERFILE NAME:TAG OUT.tar

OUT is an OCI image layout with the list of files that older versions of Docker read (manifest.json). What the image runs
is read from the last stage of the Dockerfile. The same input gives the same bytes; times are SOURCE_DATE_EPOCH.
"""
import gzip
import hashlib
import io
import json
import os
import platform
import re
import sys
import tarfile
import time

EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])
CREATED = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH))
UNITS = {"s": 10**9, "m": 60 * 10**9}


def instructions(path):
    """The (name, arguments) of the last stage of a Dockerfile."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"\\\n", " ", "".join(line for line in file if not line.startswith("#")))
    words = [line.split(None, 1) for line in text.splitlines() if line.strip()]
    last = max(i for i, (name, _) in enumerate(words) if name == "FROM")
    return words[last + 1:]


def healthcheck(arguments):
    """HEALTHCHECK --interval=30s ... CMD [...] in the names and nanoseconds of the configuration."""
    options, command = arguments.split("CMD", 1)
    times = re.findall(r"--([a-z-]+)=(\d+)([sm])", options)
    return {"Test": ["CMD", *json.loads(command)],
            **{name.title().replace("-", ""): int(value) * UNITS[unit] for name, value, unit in times}}


def configuration(path):
    """What Docker stores for the instructions; those that change files have been carried out."""
    config = {"Env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]}
    for name, value in instructions(path):
        value = value.strip()
        if name == "ENV":
            config["Env"].append(value)
        elif name in ("ENTRYPOINT", "CMD"):
            config[name.title()] = json.loads(value)
        elif name in ("USER", "WORKDIR"):
            config[{"USER": "User", "WORKDIR": "WorkingDir"}[name]] = value
        elif name == "VOLUME":
            config["Volumes"] = {value: {}}
        elif name == "EXPOSE":
            config["ExposedPorts"] = {f"{value}/tcp": {}}
        elif name == "HEALTHCHECK":
            config["Healthcheck"] = healthcheck(value)
        elif name not in ("RUN", "COPY"):
            sys.exit(f"{path}: unknown instruction {name}; teach scripts/lib/image.py to read it")
    return config


def main():
    root, dockerfile, reference, out = sys.argv[1:]
    files = {}

    def blob(data, kind):
        digest = hashlib.sha256(data).hexdigest()
        files[f"blobs/sha256/{digest}"] = data
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}", "size": len(data)}

    def document(value):
        return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
    with open(root, "rb") as file:
        content = file.read()
    layer = blob(gzip.compress(content, 6, mtime=0), "layer.v1.tar+gzip")
    architecture = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    config = blob(document({
        "architecture": architecture, "os": "linux", "created": CREATED, "config": configuration(dockerfile),
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(content).hexdigest()]},
        "history": [{"created": CREATED, "created_by": "scripts/package image"}]}), "config.v1+json")
    kind = "manifest.v1+json"
    manifest = blob(document({"schemaVersion": 2, "mediaType": f"application/vnd.oci.image.{kind}",
                              "config": config, "layers": [layer]}), kind)
    manifest["annotations"] = {"org.opencontainers.image.ref.name": reference,
                               "io.containerd.image.name": f"docker.io/library/{reference}"}
    files["oci-layout"] = document({"imageLayoutVersion": "1.0.0"})
    files["index.json"] = document({"schemaVersion": 2, "manifests": [manifest]})
    place = {name: "blobs/" + descriptor["digest"].replace(":", "/")
             for name, descriptor in (("config", config), ("layer", layer))}
    files["manifest.json"] = document([{"Config": place["config"], "RepoTags": [reference], "Layers": [place["layer"]]}])
    with tarfile.open(out, "w") as archive:
        for name in sorted(files):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime, entry.mode = len(files[name]), EPOCH, 0o644
            archive.addfile(entry, io.BytesIO(files[name]))


main()
