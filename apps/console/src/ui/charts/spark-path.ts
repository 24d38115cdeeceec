const PADDING = 2;

/** SVG paths of the line and area of values within a box. A null interrupts the line. */
export function sparkPath(
  values: readonly (number | null)[],
  width: number,
  height: number,
): { readonly line: string; readonly area: string } {
  const known = values.filter((value) => value !== null && Number.isFinite(value)) as readonly number[];
  if (known.length === 0) return { line: '', area: '' };
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const x = (at: number): number => (values.length === 1 ? width / 2 : (at / (values.length - 1)) * width);
  const y = (value: number): number =>
    high === low ? height / 2 : height - PADDING - ((value - low) / (high - low)) * (height - 2 * PADDING);
  const parts: string[][] = [];
  let part: string[] | null = null;
  const areas: string[] = [];
  let first = 0;
  const close = (end: number): void => {
    if (part !== null)
      areas.push(`M${part.join('L')}L${round(x(end))},${height}L${round(x(first))},${height}Z`);
    part = null;
  };
  for (const [at, value] of values.entries()) {
    if (value === null || !Number.isFinite(value)) {
      close(at - 1);
      continue;
    }
    if (part === null) {
      parts.push((part = []));
      first = at;
    }
    part.push(`${round(x(at))},${round(y(value))}`);
  }
  close(values.length - 1);
  return { line: parts.map((points) => `M${points.join('L')}`).join(''), area: areas.join('') };
}

const round = (value: number): number => Math.round(value * 10) / 10;
