"""So that ``python -m pacbayes.cli`` is the command."""

from pacbayes.cli import main

main()
