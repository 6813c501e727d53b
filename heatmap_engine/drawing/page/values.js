// Numbers as pictures show them: a minus as wide as a plus, and no more digits than say something.

export const withMinus = (words) => words.replace("-", "\u2212");

export function shownValue(value, decimals) {
  if (value === null || value === undefined) return "\u2013";
  if (typeof value === "string") return value; // a mate
  const size = Math.abs(value);
  const words = size.toFixed(Math.min(decimals, size < 99.995 ? 2 : size < 999.95 ? 1 : 0));
  return Number(words) === 0 ? (0).toFixed(decimals) : withMinus((value > 0 ? "+" : "-") + words);
}

// A value, or a mate as White counts it: below zero where White is mated.
export function valueOrMate(value, mateIn, decimals) {
  if (mateIn === null || mateIn === undefined) return shownValue(value, decimals);
  return withMinus(`${mateIn > 0 || (mateIn === 0 && value > 0) ? "+" : "-"}#${Math.abs(mateIn) || ""}`);
}

export function shownHeat(value, isSigned) {
  if (Math.abs(value) < 0.05) return "";
  const words = Math.abs(value).toFixed(Math.abs(value) < 9.95 ? 1 : 0);
  return isSigned ? withMinus((value > 0 ? "+" : "-") + words) : words;
}
