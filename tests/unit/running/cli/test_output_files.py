"""Which files a command may replace: no input by any name, and only earlier results by itself."""

import zipfile
from pathlib import Path

import pytest

from xnbflow.core.errors import InputError
from xnbflow.models.model_file import read_model
from xnbflow.running.cli import app, finished_studies
from xnbflow.running.cli.output_files import (
    _begins_with,
    has_content,
    holds_figures,
    is_model,
    is_workbook,
    refuse_to_replace,
)

TABLE = "".join(
    f"s{i},{'ab'[i % 2]},{i % 2 * 5 + i / 10},{i % 3},{i % 2 * 3 + i % 5}\n" for i in range(20)
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the table data.csv, where commands run."""
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text(f"sample,type,g1,g2,g3\n{TABLE}")
    return tmp_path


@pytest.fixture
def model(folder):
    """A model of data.csv, as the command writes it."""
    app.fit("data.csv", label="type", output=Path("m.skops"), method="csnb", folds=0)
    return Path("m.skops")


def other_names(name):
    """Return the file by its name, by ./ and its complete path, by a symbolic and a hard link."""
    Path("symbolic").symlink_to(name)
    Path("hard").hardlink_to(name)
    return [Path(name), Path("..", Path.cwd().name, name), Path(name).resolve(), "symbolic", "hard"]


@pytest.mark.parametrize("force", [False, True])
def test_no_command_replaces_what_it_reads(model, force):
    contents = {name: Path(name).read_bytes() for name in ("data.csv", "m.skops")}
    calls = []
    for path in map(Path, other_names("data.csv")):
        calls += [
            lambda path=path: app.fit("data.csv", label="type", folds=0, output=path, force=force),
            lambda path=path: app.predict(model, "data.csv", output=path, force=force),
        ]
    calls += [
        lambda: app.signature(model, output=model, force=force),
        lambda: app.signature(model, gmt=True, output=model, force=force),
        lambda: app.predict(model, "data.csv", output=model, force=force),
    ]
    for call in calls:
        with pytest.raises(InputError, match=r"would replace .*which this command reads"):
            call()
    assert contents == {name: Path(name).read_bytes() for name in contents}


@pytest.mark.parametrize("option", ["phenotype", "annotation"])
def test_a_second_table_of_a_fit_is_not_replaced(folder, option):
    Path("second.csv").write_text("x")
    with pytest.raises(InputError, match=r"would replace second\.csv, which this command reads"):
        app.fit("data.csv", output=Path("second.csv"), force=True, **{option: "second.csv"})
    with pytest.raises(InputError, match=r"would replace second\.csv"):
        app.fit(
            "data.csv", output=Path("second.csv"), force=True, settings=["annotation=second.csv"]
        )


@pytest.mark.parametrize("force", [False, True])
def test_a_study_replaces_no_table_by_its_file(folder, force):
    Path("data.csv").rename("data.yaml")
    content = Path("data.yaml").read_bytes()
    with pytest.raises(InputError, match=r"data\.yaml would replace") as refusal:
        app.propose("data.yaml", label="type", output="data", force=force)
    assert "--force" not in str(refusal.value)
    assert Path("data.yaml").read_bytes() == content


def test_a_result_of_the_same_command_is_replaced_and_another_file_by_force(model):
    arguments = {"label": "type", "method": "csnb", "folds": 0}
    app.fit("data.csv", output=model, **arguments)
    app.predict(model, "data.csv", output=Path("p.tsv"))
    app.predict(model, "data.csv", output=Path("p.tsv"))
    app.signature(model, output=Path("s.tsv"))
    app.signature(model, output=Path("s.tsv"))
    app.signature(model, gmt=True, output=Path("s.gmt"))
    app.signature(model, gmt=True, output=Path("s.gmt"))
    for call in (
        lambda **force: app.fit("data.csv", output=Path("p.tsv"), **arguments, **force),
        lambda **force: app.predict(model, "data.csv", output=Path("s.tsv"), **force),
        lambda **force: app.signature(model, output=Path("s.gmt"), **force),
    ):
        with pytest.raises(InputError, match="is no earlier result of this command; overwrite it"):
            call()
        call(force=True)
    assert read_model(Path("p.tsv")).classes == ["a", "b"]


def test_files_of_a_study_that_a_user_may_have_edited_are_replaced_by_force(folder):
    app.propose("data.csv", label="type", output="mine")
    with pytest.raises(InputError, match=r"mine\.yaml exists; overwrite it by --force"):
        app.propose("data.csv", label="type", output="mine")
    app.propose("data.csv", label="type", output="mine", force=True)


def test_a_file_of_a_folder_that_is_read_is_kept(tmp_path):
    (tmp_path / "a.tsv").write_text("sample\tlabel\t")
    rule = {
        "inputs": [tmp_path],
        "is_earlier_result": lambda path: _begins_with(path, "sample\tlabel"),
    }
    refuse_to_replace(tmp_path / "new.tsv", force=False, **rule)
    refuse_to_replace(tmp_path / "a.tsv", force=False, **rule)
    (tmp_path / "a.tsv").write_text("gene\ts1\n")
    with pytest.raises(InputError, match="which this command reads"):
        refuse_to_replace(tmp_path / "a.tsv", force=True, **rule)


def test_a_study_s_files_are_kept_by_commands_on_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = Path("results/studies/mine/report.html")
    page.parent.mkdir(parents=True)
    page.write_text("page")
    for output in (page, page.parent):
        with pytest.raises(InputError, match="which this command reads"):
            finished_studies.check_output(output, "mine", True, is_workbook)


def archive(path, *names, content="x"):
    with zipfile.ZipFile(path, "w") as file:
        for name in names:
            file.writestr(name, content)
    return path


def test_results_are_recognised_by_their_content(tmp_path):
    book = archive(tmp_path / "c", "docProps/core.xml", content="<creator>xnbflow</creator>")
    assert is_workbook(book)
    other = archive(tmp_path / "d", "docProps/core.xml", content="<creator>Ann</creator>")
    assert not is_workbook(other)
    assert not is_workbook(archive(tmp_path / "b", "index.html"))
    assert is_model(archive(tmp_path / "f", "schema.json", content='"xnbflow-model"'))
    assert not is_model(archive(tmp_path / "g", "schema.json", content='"model"'))
    text = tmp_path / "e"
    text.write_text("#1.2\n")
    assert has_content("#1.2\n")(text)
    assert not has_content("#1.2")(text)
    assert not is_workbook(text)
    folder = tmp_path / "figures"
    folder.mkdir()
    for name in ("a.svg", "a.pdf", "a.png", "legends.md"):
        (folder / name).touch()
    assert holds_figures(folder)
    (folder / "thesis.md").touch()
    assert not holds_figures(folder)
