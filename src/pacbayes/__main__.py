"""So that ``python -m pacbayes`` is the command."""

try:
    from pacbayes.cli import main
except KeyboardInterrupt:
    raise SystemExit(130) from None

main()
