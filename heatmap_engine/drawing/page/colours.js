// Colours of heat: the same steps between the palette's colours as in the SVG pictures.

const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
const asHex = (parts) => "#" + parts.map((part) => part.toString(16).padStart(2, "0")).join("");
const mixed = (cold, hot, share) => cold.map((part, i) => Math.round(part + (hot[i] - part) * share));

export const isLight = (square) => ((square >> 3) + square) % 2 === 1;

// Heat above 0 is White's, below 0 Black's; at the limit the colour is the hottest.
export function squareColour(palette, heat, limit, square) {
  const arm = palette.arms[heat >= 0 ? "white" : "black"];
  const share = Math.min(Math.abs(heat) / limit, 1) * (arm.length - 1);
  const step = Math.min(Math.floor(share), arm.length - 2);
  const colour = mixed(channels(arm[step]), channels(arm[step + 1]), share - step);
  return asHex(isLight(square) ? colour : mixed([0, 0, 0], colour, palette.dark_share));
}

const ROUND_STEPS = [1, 2, 3, 4, 5, 6, 8, 10];

// The next round number that is not below the hottest square, at least 1.
export function roundLimit(hottest) {
  let power = 1;
  while (hottest > 10 * power) power *= 10;
  return power * ROUND_STEPS.find((step) => hottest / power - 1e-9 < step);
}
