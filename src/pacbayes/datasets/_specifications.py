"""What is in each file: columns with their declared categories, the label, and where the file comes from.

Categories are declared here and not read off the rows, so that nothing about the encoding depends on the data. Sources:
the descriptions in the UCI Machine Learning Repository, reduced to the categories that its files use.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SPECIFICATIONS", "Column", "Specification"]

_ARCHIVE = "https://archive.ics.uci.edu/ml/machine-learning-databases/"


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a raw file.

    ``categories`` is empty for a number. ``codes`` gives numbers to texts in a numeric column, for each encoding.
    """

    name: str
    categories: tuple[str, ...] = ()
    used: bool = True
    missing_sound: float | None = None  # the number that stands for '?'
    ordered_as_text: tuple[str, ...] = ()  # the published encoding numbers these by their place


@dataclass(frozen=True, slots=True)
class Specification:
    """One data set."""

    name: str
    title: str
    file: str
    address: str
    sha256: str
    columns: tuple[Column, ...]
    label: str
    positive: str
    labels: tuple[str, str]
    drop_missing: bool = False


def _numbers(text: str) -> tuple[Column, ...]:
    return tuple(Column(name) for name in text.split())


def _categories(text: str) -> tuple[Column, ...]:
    """Read ``name:a,b,c`` entries."""
    pairs = (entry.split(":") for entry in text.split())
    return tuple(Column(name, tuple(values.split(","))) for name, values in pairs)


_CLASS = Column("class", used=False)
_BARE_NUCLEI = ("?", "1", "10", "2", "3", "4", "5", "6", "7", "8", "9")
_WORDS = """
    make address all 3d our over remove internet order mail receive will people report addresses free business email
    you credit your font 000 money hp hpl george 650 lab labs telnet 857 data 415 85 technology 1999 parts pm direct
    cs meeting original project re edu table conference
""".split()
_SIGNS = ("semicolon", "parenthesis", "bracket", "exclamation", "dollar", "hash")
_RUNS = ("capital_run_length_average", "capital_run_length_longest", "capital_run_length_total")
_CHESS = """
    bkblk bknwy bkon8 bkona bkspr bkxbq bkxcr bkxwp blxwp bxqsq cntxt dsopp dwipd hdchk katri mulch qxmsq r2ar8 reskd
    reskr rimmx rkxwp rxmsq simpl skach skewr skrxp spcop stlmt thrsk wkcti wkna8 wknck wkovl wkpos wtoeg
""".split()
_CHESS_CATEGORIES = {"dwipd": "g,l", "katri": "b,n,w", "wtoeg": "n,t"}
_MUSHROOM = """
    cap-shape:b,c,f,k,s,x cap-surface:f,g,s,y cap-color:b,c,e,g,n,p,r,u,w,y bruises:f,t odor:a,c,f,l,m,n,p,s,y
    gill-attachment:a,f gill-spacing:c,w gill-size:b,n gill-color:b,e,g,h,k,n,o,p,r,u,w,y stalk-shape:e,t
    stalk-root:b,c,e,q,r stalk-surface-above-ring:f,k,s,y stalk-surface-below-ring:f,k,s,y
    stalk-color-above-ring:b,c,e,g,n,o,p,w,y stalk-color-below-ring:b,c,e,g,n,o,p,w,y veil-type:p veil-color:n,o,w,y
    ring-number:n,o,t ring-type:e,f,l,n,p spore-print-color:b,h,k,n,o,r,u,w,y population:a,c,n,s,v,y
    habitat:d,g,l,m,p,u,w
"""
_ADULT = {
    "workclass": "Federal-gov,Local-gov,Private,Self-emp-inc,Self-emp-not-inc,State-gov,Without-pay",
    "education": "10th,11th,12th,1st-4th,5th-6th,7th-8th,9th,Assoc-acdm,Assoc-voc,Bachelors,Doctorate,HS-grad,Masters,"
    "Preschool,Prof-school,Some-college",
    "marital-status": "Divorced,Married-AF-spouse,Married-civ-spouse,Married-spouse-absent,Never-married,Separated,"
    "Widowed",
    "occupation": "Adm-clerical,Armed-Forces,Craft-repair,Exec-managerial,Farming-fishing,Handlers-cleaners,"
    "Machine-op-inspct,Other-service,Priv-house-serv,Prof-specialty,Protective-serv,Sales,Tech-support,Transport-moving",
    "relationship": "Husband,Not-in-family,Other-relative,Own-child,Unmarried,Wife",
    "race": "Amer-Indian-Eskimo,Asian-Pac-Islander,Black,Other,White",
    "sex": "Female,Male",
    "native-country": "Cambodia,Canada,China,Columbia,Cuba,Dominican-Republic,Ecuador,El-Salvador,England,France,"
    "Germany,Greece,Guatemala,Haiti,Holand-Netherlands,Honduras,Hong,Hungary,India,Iran,Ireland,Italy,Jamaica,Japan,"
    "Laos,Mexico,Nicaragua,Outlying-US(Guam-USVI-etc),Peru,Philippines,Poland,Portugal,Puerto-Rico,Scotland,South,"
    "Taiwan,Thailand,Trinadad&Tobago,United-States,Vietnam,Yugoslavia",
}
_ADULT_ORDER = """
    age workclass fnlwgt education education-num marital-status occupation relationship race sex capital-gain
    capital-loss hours-per-week native-country
""".split()


def _adult_column(name: str) -> Column:
    return Column(name, tuple(_ADULT[name].split(","))) if name in _ADULT else Column(name)


_ALL = (
    Specification(
        "haberman",
        "Haberman's survival",
        "haberman.data",
        _ARCHIVE + "haberman/haberman.data",
        "b4b7a32586a5668f9f4d6dc8be9d1bc8cd4822523affb1f6b5bfc350681ef3e2",
        (*_numbers("age year nodes"), _CLASS),
        "class",
        "2",
        ("1", "2"),
    ),
    Specification(
        "breast-cancer",
        "Breast Cancer Wisconsin (original)",
        "breast-cancer-wisconsin.data",
        _ARCHIVE + "breast-cancer-wisconsin/breast-cancer-wisconsin.data",
        "402c585309c399237740f635ef9919dc512cca12cbeb20de5e563a4593f22b64",
        (
            Column("id", used=False),
            *_numbers("clump_thickness cell_size cell_shape adhesion epithelial_size"),
            Column("bare_nuclei", missing_sound=0.0, ordered_as_text=_BARE_NUCLEI),
            *_numbers("chromatin nucleoli mitoses"),
            _CLASS,
        ),
        "class",
        "4",
        ("2", "4"),
    ),
    Specification(
        "tictactoe",
        "Tic-tac-toe endgames",
        "tic-tac-toe.data",
        _ARCHIVE + "tic-tac-toe/tic-tac-toe.data",
        "a996a756484d0cf8cbad1680d823aadbfcff8ae2d78c450e6999362d580301c5",
        (*_categories(" ".join(f"{row}-{column}:b,o,x" for row in "tmb" for column in "lmr")), _CLASS),
        "class",
        "positive",
        ("negative", "positive"),
    ),
    Specification(
        "banknote",
        "Banknote authentication",
        "data_banknote_authentication.txt",
        _ARCHIVE + "00267/data_banknote_authentication.txt",
        "d0539aaed2139ba7a587b3e34fb345ce503ff7d5d33dbf9912d8e195ce425cb9",
        (*_numbers("variance skewness curtosis entropy"), _CLASS),
        "class",
        "1",
        ("0", "1"),
    ),
    Specification(
        "kr-vs-kp",
        "Chess: king and rook against king and pawn",
        "kr-vs-kp.data",
        _ARCHIVE + "chess/king-rook-vs-king-pawn/kr-vs-kp.data",
        "70a5540902b4063d3977d3e820ac5b9fe5624eb5d93709eee5d50d7a94fca205",
        (*_categories(" ".join(f"{name}:{_CHESS_CATEGORIES.get(name, 'f,t')}" for name in _CHESS)), _CLASS),
        "class",
        "won",
        ("nowin", "won"),
    ),
    Specification(
        "spambase",
        "Spambase",
        "spambase.data",
        _ARCHIVE + "spambase/spambase.data",
        "b1ef93de71f97714d3d7d4f58fc9f718da7bbc8ac8a150eff2778616a8097b12",
        (
            *(Column(f"word_{word}") for word in _WORDS),
            *(Column(f"sign_{sign}") for sign in _SIGNS),
            *(Column(run) for run in _RUNS),
            _CLASS,
        ),
        "class",
        "1",
        ("0", "1"),
    ),
    Specification(
        "mushroom",
        "Mushroom",
        "agaricus-lepiota.data",
        _ARCHIVE + "mushroom/agaricus-lepiota.data",
        "a49595ef722fe7348436c81cbd32f5345ea909f443431e9c92949fbe072ed50f",
        (
            _CLASS,
            *(
                Column(column.name, column.categories, used=column.name != "veil-type")  # constant, so it says nothing
                for column in _categories(_MUSHROOM)
            ),
        ),
        "class",
        "e",
        ("p", "e"),
    ),
    Specification(
        "adult",
        "Adult (census income)",
        "adult.data",
        _ARCHIVE + "adult/adult.data",
        "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
        (*(_adult_column(name) for name in _ADULT_ORDER), _CLASS),
        "class",
        ">50K",
        ("<=50K", ">50K"),
        drop_missing=True,
    ),
)
SPECIFICATIONS = {specification.name: specification for specification in _ALL}
