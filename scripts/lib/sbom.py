#!/usr/bin/python3
"""Prints the software bill of materials of FILM as SPDX 2.3 (JSON).

sbom.py VERSION "RUN PACKAGES" "BUILD PACKAGES": FILM depends on the Debian packages it loads and everything that these depend
on, with the versions installed on this machine; the packages it is built with are listed as such. The same packages give the
same bytes: the time comes from SOURCE_DATE_EPOCH, and the document's name from its content.
"""
import hashlib
import json
import os
import re
import subprocess
import sys
import time
import urllib.parse

FIELDS = ["Package", "Version", "Architecture", "source:Package", "source:Version", "Maintainer", "Homepage", "Depends",
          "Pre-Depends", "Provides"]


def installed():
    """Every installed package by name, and by the names that it provides."""
    form = "\\t".join("${%s}" % field for field in FIELDS) + "\\t${db:Status-Status}\\n"
    lines = subprocess.run(["dpkg-query", "-W", "-f", form], check=True, capture_output=True, text=True).stdout.splitlines()
    packages, provided = {}, {}
    for line in lines:
        *values, status = line.split("\t")
        if status != "installed":
            continue
        package = dict(zip(FIELDS, values))
        packages[package["Package"]] = package
        for name in names_in(package["Provides"]):
            provided.setdefault(name[0], package)
    return {**provided, **packages}


def names_in(depends):
    """[[name, alternative, ...], ...] of a Depends field."""
    return [[re.match(r"[a-z0-9.+-]+", one.strip()).group() for one in group.split("|")]
            for group in depends.split(",") if group.strip()]


def closure(names, known):
    """The packages of NAMES and what they depend on, as (package, the one that needs it or None)."""
    found, waiting = {}, [(name, None) for name in names]
    while waiting:
        name, needed_by = waiting.pop(0)
        if name not in known:
            if needed_by is None:
                sys.exit(f"sbom.py: the package {name} is not installed; install it with scripts/build")
            continue
        package = known[name]
        edges = found.setdefault(package["Package"], set())
        edges.add(needed_by)
        if len(edges) > 1:
            continue
        for group in names_in(package["Depends"]) + names_in(package["Pre-Depends"]):
            there = [one for one in group if one in known]
            waiting += [(one, package["Package"]) for one in there[:1]]
    return found


def identifier(name):
    return "SPDXRef-Package-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def described(package):
    purl = "pkg:deb/debian/%s@%s?arch=%s" % (urllib.parse.quote(package["Package"]),
                                             urllib.parse.quote(package["Version"]), package["Architecture"])
    return {
        "SPDXID": identifier(package["Package"]),
        "name": package["Package"],
        "versionInfo": package["Version"],
        "supplier": "Organization: " + package["Maintainer"],
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "homepage": package["Homepage"] or "NOASSERTION",
        "sourceInfo": "built from the Debian source %s %s" % (package["source:Package"], package["source:Version"]),
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}],
    }


def main():
    version, run, build = sys.argv[1:]
    known = installed()
    loaded = closure(run.split(), known)
    film = {"SPDXID": identifier("film"), "name": "film", "versionInfo": version, "supplier": "NOASSERTION",
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "MIT",
            "licenseDeclared": "MIT", "copyrightText": "Copyright (c) 2026 the FILM contributors"}
    relations = {("SPDXRef-DOCUMENT", "DESCRIBES", film["SPDXID"])}
    for name, needed_by in loaded.items():
        for one in needed_by:
            relations.add((identifier(one or "film"), "DEPENDS_ON", identifier(name)))
    builders = sorted({known[name]["Package"] for name in build.split() if name in known} - set(loaded))
    for name in builders:
        if name == "wordnet-base":  # english.words is compiled from it and installed
            relations.add((film["SPDXID"], "GENERATED_FROM", identifier(name)))
        else:
            relations.add((identifier(name), "BUILD_DEPENDENCY_OF", film["SPDXID"]))
    packages = [film] + [described(known[name]) for name in sorted(loaded) + builders]
    digest = hashlib.sha256(json.dumps([packages, sorted(relations)]).encode()).hexdigest()
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", "315619200"))))
    json.dump({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": "film-" + version,
        "documentNamespace": "urn:film:sbom:" + digest,
        "creationInfo": {"created": created, "creators": ["Tool: film-sbom-" + version]},
        "packages": packages,
        "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b}
                          for a, kind, b in sorted(relations)],
    }, sys.stdout, indent=1)
    print()


main()
