"""Positions and games as pictures: SVG, PNG, GIF and a page for the browser, all drawn from reports."""
