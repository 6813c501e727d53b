"""The engine, and what each mode does its own way: search, limits, what is recorded."""
