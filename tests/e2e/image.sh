#!/usr/bin/env bash
# The container image without a container runtime: its file names what it holds by their sums, its layers unpacked are a root
# folder in which its user trains and gets a verdict, and a second build gives the same bytes. skopeo and podman read it
# where they are installed. Long: it fetches a Debian twice. TAP.
source "$(dirname "$0")/../cli/tap.sh"
[ -n "${FILM_TEST_LONG:-}" ] || { skip "the container image" "long: scripts/test --long"; finish; exit; }
[ "$(id -u)" -eq 0 ] || { skip "the container image" "chroot needs root"; finish; exit; }
check "scripts/package image" "$ROOT/scripts/package" image
cp "$ROOT"/dist/film-*-image.tar image.tar
check "again" "$ROOT/scripts/package" image
check "the same bytes" cmp image.tar "$ROOT"/dist/film-*-image.tar

# From the index down to the layers, as the specification of OCI has it.
cat > unpack.py << 'PY'
import gzip, hashlib, io, json, tarfile
archive = tarfile.open("image.tar")
def blob(descriptor):
    kind, digest = descriptor["digest"].split(":")
    data = archive.extractfile(f"blobs/{kind}/{digest}").read()
    assert hashlib.new(kind, data).hexdigest() == digest and len(data) == descriptor["size"], descriptor
    return data
assert json.load(archive.extractfile("oci-layout")) == {"imageLayoutVersion": "1.0.0"}
index = json.load(archive.extractfile("index.json"))
manifest = json.loads(blob(index["manifests"][0]))
config = json.loads(blob(manifest["config"]))
layers = [gzip.decompress(blob(layer)) for layer in manifest["layers"]]
assert [f"sha256:{hashlib.sha256(layer).hexdigest()}" for layer in layers] == config["rootfs"]["diff_ids"]
(docker,) = json.load(archive.extractfile("manifest.json"))
assert [docker["Config"], *docker["Layers"]] == [
    "blobs/" + part["digest"].replace(":", "/") for part in (manifest["config"], *manifest["layers"])]
for layer in layers:
    tarfile.open(fileobj=io.BytesIO(layer)).extractall("root")
settings = config["config"]
assert settings["User"] == "film" and settings["WorkingDir"] == "/data" and settings["Healthcheck"]["Interval"] == 30 * 10**9
assert settings["Cmd"][0] == "serve" and "8080/tcp" in settings["ExposedPorts"] and "/data" in settings["Volumes"]
open("settings", "w").write("\n".join(settings["Env"] + settings["Entrypoint"]))
PY
check "index, manifest, configuration and layers belong together" "$PYTHON" unpack.py
# As the image runs: its user, folder, environment and entry point, without the machine's. film finds its modules by /proc.
in_image() { unshare --mount bash -c 'mount -t proc proc root/proc && mapfile -t run < settings &&
    exec chroot --userspec=film root /usr/bin/env -i -C /data "${run[@]}" "$@"' bash "$@"; }
install -m 644 "$FAQ/train.tsv" root/tmp/train.tsv
from_nothing() { in_image train /tmp/train.tsv -q -t 1 -o faq.film && in_image match faq.film "I lost my card" "my card is lost" --json > verdict; }
check_timed "training and a verdict" from_nothing
here() { "$FILM" match root/data/faq.film "I lost my card" "my card is lost" --json | cmp - verdict; }
check "that of the program here" here
check "a page" in_image page faq.film -q -o page.html
if have "skopeo reads the image" skopeo; then check "skopeo reads the image" skopeo inspect oci-archive:image.tar; fi
if have "podman loads the image" podman; then
    podman=(podman --root "$PWD/store" --runroot "$PWD/run" --storage-driver vfs)
    check "podman loads the image" "${podman[@]}" load -q -i image.tar
    check "with its name" "${podman[@]}" image exists "film:$("$FILM" --version | awk '{ print $2; exit }')"
    "${podman[@]}" rmi -af > /dev/null 2>&1
fi
finish
