"""What every room needs and no room owns: types, arguments, rounding, rows, files and digests."""
