"""The wheel carries the libraries, so it runs on one platform, but with every Python 3."""
import re
from pathlib import Path

from setuptools import setup
from wheel.bdist_wheel import bdist_wheel

HEADER = Path(__file__).resolve().parent / "film_types.h"
if not HEADER.exists():
    HEADER = HEADER.parent.parent / "include" / "film_types.h"
VERSION = ".".join(re.findall(r"define FILM_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)",
                              HEADER.read_text()))


class Wheel(bdist_wheel):
    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(version=VERSION, cmdclass={"bdist_wheel": Wheel})
