/**
 * Returns the start of a text, at most `lengthMax` UTF-16 units. Never ends with half of a surrogate
 * pair, which strict JSON parsers refuse.
 */
export const truncated = (text: string, lengthMax: number): string =>
  text.slice(0, lengthMax).replace(/[\ud800-\udbff]$/, '');
