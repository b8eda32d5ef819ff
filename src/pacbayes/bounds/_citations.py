"""Where each bound comes from, in BibTeX."""

from __future__ import annotations

__all__ = ["CITATIONS"]


def _entry(kind: str, key: str, **fields: str) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])


CITATIONS = {
    "adams": _entry(
        "article",
        "adams2022controlling",
        title="Controlling Multiple Errors Simultaneously with a PAC-Bayes Bound",
        author="Adams, Reuben and Shawe-Taylor, John and Guedj, Benjamin",
        journal="arXiv:2202.05560",
        year="2022",
    ),
    "bazinet": _entry(
        "inproceedings",
        "bazinet2025sample",
        title="Sample Compression Unleashed: New Generalization Bounds for Real Valued Losses",
        author="Bazinet, Mathieu and Zantedeschi, Valentina and Germain, Pascal",
        booktitle="International Conference on Artificial Intelligence and Statistics",
        year="2025",
    ),
    "biggs": _entry(
        "inproceedings",
        "biggs2023tighter",
        title="Tighter PAC-Bayes Generalisation Bounds by Leveraging Example Difficulty",
        author="Biggs, Felix and Guedj, Benjamin",
        booktitle="International Conference on Artificial Intelligence and Statistics",
        year="2023",
    ),
    "catoni": _entry(
        "book",
        "catoni2007pac",
        title="PAC-Bayesian Supervised Classification: The Thermodynamics of Statistical Learning",
        author="Catoni, Olivier",
        publisher="Institute of Mathematical Statistics",
        year="2007",
    ),
    "clopper": _entry(
        "article",
        "clopper1934use",
        title="The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial",
        author="Clopper, C. J. and Pearson, E. S.",
        journal="Biometrika",
        year="1934",
    ),
    "hoeffding": _entry(
        "article",
        "hoeffding1963probability",
        title="Probability Inequalities for Sums of Bounded Random Variables",
        author="Hoeffding, Wassily",
        journal="Journal of the American Statistical Association",
        year="1963",
    ),
    "jang": _entry(
        "inproceedings",
        "jang2023tighter",
        title="Tighter PAC-Bayes Bounds Through Coin-Betting",
        author="Jang, Kyoungseok and Jun, Kwang-Sung and Kuzborskij, Ilja and Orabona, Francesco",
        booktitle="Conference on Learning Theory",
        year="2023",
    ),
    "langford": _entry(
        "inproceedings",
        "langford2002pac",
        title="PAC-Bayes and Margins",
        author="Langford, John and Shawe-Taylor, John",
        booktitle="Advances in Neural Information Processing Systems",
        year="2002",
    ),
    "langford2005": _entry(
        "article",
        "langford2005tutorial",
        title="Tutorial on Practical Prediction Theory for Classification",
        author="Langford, John",
        journal="Journal of Machine Learning Research",
        year="2005",
    ),
    "maurer": _entry(
        "article",
        "maurer2004note",
        title="A Note on the PAC Bayesian Theorem",
        author="Maurer, Andreas",
        journal="arXiv:cs/0411099",
        year="2004",
    ),
    "mcnemar": _entry(
        "article",
        "mcnemar1947note",
        title="Note on the Sampling Error of the Difference between Correlated Proportions or Percentages",
        author="McNemar, Quinn",
        journal="Psychometrika",
        year="1947",
    ),
    "masegosa": _entry(
        "inproceedings",
        "masegosa2020second",
        title="Second Order PAC-Bayesian Bounds for the Weighted Majority Vote",
        author="Masegosa, Andr{\\'e}s R. and Lorenzen, Stephan S. and Igel, Christian and Seldin, Yevgeny",
        booktitle="Advances in Neural Information Processing Systems",
        year="2020",
    ),
    "mcallester1999": _entry(
        "inproceedings",
        "mcallester1999pac",
        title="PAC-Bayesian Model Averaging",
        author="McAllester, David A.",
        booktitle="Conference on Computational Learning Theory",
        year="1999",
    ),
    "mcallester2003": _entry(
        "inproceedings",
        "mcallester2003simplified",
        title="Simplified PAC-Bayesian Margin Bounds",
        author="McAllester, David A.",
        booktitle="Conference on Learning Theory",
        year="2003",
    ),
    "mhammedi": _entry(
        "inproceedings",
        "mhammedi2019pac",
        title="PAC-Bayes Un-Expected Bernstein Inequality",
        author='Mhammedi, Zakaria and Gr{\\"u}nwald, Peter and Guedj, Benjamin',
        booktitle="Advances in Neural Information Processing Systems",
        year="2019",
    ),
    "paccagnan": _entry(
        "inproceedings",
        "paccagnan2023pick",
        title="The Pick-to-Learn Algorithm: Empowering Compression for Tight Generalization Bounds and Improved \
Post-training Performance",
        author="Paccagnan, Dario and Campi, Marco C. and Garatti, Simone",
        booktitle="Advances in Neural Information Processing Systems",
        year="2023",
    ),
    "portfolio": _entry(
        "misc",
        "pacbayes2026portfolio",
        title="pacbayes: Generalisation Certificates for Machine Learning (theory: the portfolio)",
        author="{The pacbayes developers}",
        year="2026",
    ),
    "rivasplata": _entry(
        "inproceedings",
        "rivasplata2020pac",
        title="PAC-Bayes Analysis Beyond the Usual Bounds",
        author="Rivasplata, Omar and Kuzborskij, Ilja and Szepesv{\\'a}ri, Csaba and Shawe-Taylor, John",
        booktitle="Advances in Neural Information Processing Systems",
        year="2020",
    ),
    "tolstikhin": _entry(
        "inproceedings",
        "tolstikhin2013pac",
        title="PAC-Bayes-Empirical-Bernstein Inequality",
        author="Tolstikhin, Ilya and Seldin, Yevgeny",
        booktitle="Advances in Neural Information Processing Systems",
        year="2013",
    ),
    "viallard": _entry(
        "article",
        "viallard2023general",
        title="A General Framework for the Practical Disintegration of PAC-Bayesian Bounds",
        author="Viallard, Paul and Germain, Pascal and Habrard, Amaury and Morvant, Emilie",
        journal="Machine Learning",
        year="2023",
    ),
    "waudby": _entry(
        "article",
        "waudbysmith2024estimating",
        title="Estimating Means of Bounded Random Variables by Betting",
        author="Waudby-Smith, Ian and Ramdas, Aaditya",
        journal="Journal of the Royal Statistical Society Series B",
        year="2024",
    ),
    "wu2024": _entry(
        "inproceedings",
        "wu2024recursive",
        title="Recursive PAC-Bayes: A Frequentist Approach to Sequential Prior Updates with No Information Loss",
        author="Wu, Yi-Shan and Zhang, Yijie and Ch{\\'e}rief-Abdellatif, Badr-Eddine and Seldin, Yevgeny",
        booktitle="Advances in Neural Information Processing Systems",
        year="2024",
    ),
    "wu": _entry(
        "inproceedings",
        "wu2022split",
        title="Split-kl and PAC-Bayes-split-kl Inequalities for Ternary Random Variables",
        author="Wu, Yi-Shan and Seldin, Yevgeny",
        booktitle="Advances in Neural Information Processing Systems",
        year="2022",
    ),
    "wu2021": _entry(
        "inproceedings",
        "wu2021chebyshev",
        title="Chebyshev-Cantelli PAC-Bayes-Bennett Inequality for the Weighted Majority Vote",
        author=(
            "Wu, Yi-Shan and Masegosa, Andr{\\'e}s R. and Lorenzen, Stephan S. and Igel, Christian and Seldin, Yevgeny"
        ),
        booktitle="Advances in Neural Information Processing Systems",
        year="2021",
    ),
}
