"""One file per command (or group of commands); app.py lists them."""
