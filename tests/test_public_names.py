"""`import rankforest` costs little, shows what is public and nothing else, and finds it on first use."""

import json
import subprocess
import sys
import types

import pytest

import rankforest

MODULES = ["consensus", "data", "export", "interpret", "metrics", "plots", "report"]

HEAVY = ("matplotlib", "narwhals", "numpy", "pandas", "polars", "pyarrow", "scipy", "sklearn")


def run(code: str) -> object:
    """What a fresh interpreter prints as JSON."""
    return json.loads(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout)


def test_import_is_light() -> None:
    loaded = run("import json, sys, rankforest; dir(rankforest); print(json.dumps(list(sys.modules)))")
    assert not {name.partition(".")[0] for name in loaded} & set(HEAVY)


def test_dir_lists_public_names_alone() -> None:
    listed = dir(rankforest)
    assert listed == sorted(rankforest.__all__)
    assert not {"Any", "TYPE_CHECKING", "import_module"} & set(listed)
    # an editor that reads the namespace itself finds nothing else either, whatever has been imported
    own = {name for name, value in vars(rankforest).items() if not isinstance(value, types.ModuleType)}
    assert {name for name in own if not name.startswith("_")} <= set(listed)


@pytest.mark.parametrize("name", sorted(rankforest.__all__))
def test_every_name_is_found(name: str) -> None:
    assert getattr(rankforest, name) is not None


def test_modules_are_found_after_a_bare_import() -> None:
    code = "import json, rankforest; print(json.dumps([getattr(rankforest, m).__name__ for m in {}]))"
    assert run(code.format(MODULES)) == [f"rankforest.{name}" for name in MODULES]
    code = "import json, rankforest; print(json.dumps(rankforest.data.simulate.__name__))"
    assert run(code) == "rankforest.data.simulate"


@pytest.mark.parametrize("module", [rankforest, rankforest.data])
def test_unknown_names(module: types.ModuleType) -> None:
    with pytest.raises(AttributeError, match=f"module '{module.__name__}' has no attribute 'Any'"):
        getattr(module, "Any")  # noqa: B009
