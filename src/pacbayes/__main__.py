"""So that ``python -m pacbayes`` is the command."""

from pacbayes.cli import main

main()
