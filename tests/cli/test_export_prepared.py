"""SQL of a model that reads dates and amounts: refused with the remedy, which gives the model's own scores."""

import duckdb
import numpy as np
import pyarrow.csv as arrow_csv
import pytest


@pytest.fixture
def dated(tmp_path, rf):
    rng = np.random.default_rng(0)
    days = rng.integers(0, 60, 300)
    pay = rng.integers(1000, 99_999, 300)
    y = (days + pay / 2000 + rng.normal(0, 10, 300) > 55).astype(int)
    start = np.datetime64("2024-01-01")
    lines = [f'{start + day},"${amount:,}",{label}' for day, amount, label in zip(days, pay, y)]
    (tmp_path / "t.csv").write_text("\n".join(["d,pay,y", *lines]) + "\n")
    assert rf("fit", tmp_path / "t.csv", "-t", "y", "--set", "max_depth=3", "-o", tmp_path / "m.rankforest").code == 0
    assert rf("score", tmp_path / "m.rankforest", tmp_path / "t.csv", "-o", tmp_path / "s.csv").code == 0
    return tmp_path


def test_dates_and_amounts_are_not_exported_in_silence(dated, rf):
    found = rf("export", dated / "m.rankforest", "--to", "sql")
    assert found.code == 2
    assert found.out == ""
    assert "SQL reads columns as they are, so that every score would be NULL; make a view with these" in found.err
    assert "CAST(d AS DATE) - DATE '1970-01-01'" in found.err
    assert rf("export", dated / "m.rankforest", "--to", "json", "--prepared").code == 2


def test_the_remedy_gives_the_scores_of_the_model(dated, rf):
    found = rf("export", dated / "m.rankforest", "--to", "sql", "--table", "ready", "--dialect", "duckdb", "--prepared")
    assert found.code == 0, found.err
    assert "Note: the export takes features" in found.err
    with duckdb.connect() as bank:
        bank.execute(f"CREATE TABLE rows AS SELECT * FROM read_csv('{dated / 't.csv'}', all_varchar = true)")
        bank.execute(
            "CREATE VIEW ready AS SELECT CAST(d AS DATE) - DATE '1970-01-01' AS d, "
            'month(CAST(d AS DATE)) AS "d (month)", isodow(CAST(d AS DATE)) AS "d (weekday)", '
            "CAST(replace(replace(pay, '$', ''), ',', '') AS DOUBLE) AS pay FROM rows"
        )
        scores = bank.execute(found.out).fetchnumpy()["score"]
    assert np.allclose(scores, arrow_csv.read_csv(dated / "s.csv")["score"].to_numpy())
