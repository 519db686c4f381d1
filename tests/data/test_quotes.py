"""Quotation marks that are never closed, against files that Python writes and a reader that counts rows."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankforest.data.quotes import OpenQuote, find_open_quote


def found(text, delimiter=",", size=7):
    blocks = [text.encode()[k : k + size] for k in range(0, len(text.encode()), size)]
    return find_open_quote(blocks, blocks, delimiter)


VALUES = st.lists(st.tuples(*[st.text(alphabet='ab,"\n ;', max_size=6)] * 2), min_size=1, max_size=8)


@given(VALUES, st.sampled_from([",", ";"]), st.integers(1, 40))
def test_what_python_writes_is_sound(rows, delimiter, size):
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    writer.writerow(["first", "second"])
    writer.writerows(rows)
    assert found(file.getvalue(), delimiter, size) is None


@pytest.mark.parametrize(
    ("text", "line", "until"),
    [
        ('a,b\n1,"x\n2,y\n3,z\n', 2, None),
        ('a,b\n1,x\n"2,y\n3,z', 3, None),
        ('a,b\n1,"x\n2,y\n3,"z"\n', 2, 4),  # the mark of another value seems to close it
        ('a,b\n1,"x\n"2","y"\n', 2, 3),
        ('a,b,c\n1,"x,y\n1,2,3\n4,5,6\n7,8,z"\n', 2, 5),  # whole rows lie within the value
        ('a,b\n1,"x""\n2,y\n', 2, None),
    ],
)
def test_an_open_mark_is_found_with_its_line(text, line, until):
    for size in (1, 5, 1000):
        assert found(text, size=size) == OpenQuote(line, until)


@pytest.mark.parametrize(
    "text",
    [
        'a,b\n1,5" pipe\n2,6" pipe\n3,7"\n',  # marks within a value are characters
        'a,b\n1,"12 High St\nLondon"\n2,"x"\n',
        'a,b\r\n1,"x\r\ny"\r\n2,z\r\n',
        'a,b\n"",""\n',
        'a,b\n1,"say ""yes""\nnow"\n',
    ],
)
def test_values_of_several_lines_and_marks_within_values_are_sound(text):
    assert found(text) is None
