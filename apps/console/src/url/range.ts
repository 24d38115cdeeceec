/** A range that ends now. `span` is a number with `m` (minutes), `h`, `d` or `w`. */
export interface RelativeRange {
  readonly kind: 'relative';
  readonly span: string;
}

/** A range between two moments in Unix milliseconds; a null `to` means until now. */
export interface AbsoluteRange {
  readonly kind: 'absolute';
  readonly from: number;
  readonly to: number | null;
}

export type Range = RelativeRange | AbsoluteRange;

/** A range resolved at one moment, in Unix milliseconds, as calls send it. */
export interface ResolvedRange {
  readonly from: number;
  readonly to: number;
}

const SPAN = /^([1-9]\d{0,4})([mhdw])$/;
const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const MOMENT = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})(?::(\d{2})(?:\.(\d{3}))?)?Z$/;
/** First and last accepted moment: the years 2000 to 2199. */
const [FIRST, LAST] = [Date.UTC(2000, 0, 1), Date.UTC(2200, 0, 1) - 1];

/** Milliseconds of a span such as `24h`; null for any other text. */
export function spanMs(span: string): number | null {
  const match = SPAN.exec(span);
  return match === null ? null : Number(match[1]) * (UNIT_MS[match[2] ?? ''] ?? Number.NaN);
}

/**
 * Encodes a range as `24h`, `2026-11-23T13:30Z..2026-11-23T14:00Z`, or `2026-11-23T13:30Z..` for
 * until now.
 */
export function encodeRange(range: Range): string {
  if (range.kind === 'relative') return range.span;
  return `${encodeMoment(range.from)}..${range.to === null ? '' : encodeMoment(range.to)}`;
}

/**
 * Parses the output of `encodeRange`; null when the text is not a range or ends before it starts.
 */
export function decodeRange(text: string): Range | null {
  if (spanMs(text) !== null) return { kind: 'relative', span: text };
  const dots = text.indexOf('..');
  if (dots < 0) return null;
  const from = decodeMoment(text.slice(0, dots));
  const end = text.slice(dots + 2);
  const to = end === '' ? null : decodeMoment(end);
  if (from === null || (to === null && end !== '') || (to !== null && to <= from)) return null;
  return { kind: 'absolute', from, to };
}

/** Resolves a range to two moments. */
export function resolveRange(range: Range, now: number): ResolvedRange {
  if (range.kind === 'relative') return { from: now - (spanMs(range.span) ?? 0), to: now };
  return { from: range.from, to: range.to ?? Math.max(now, range.from + 1) };
}

/** Converts a range to an absolute one, for a link that shows the same data later. */
export const asOfNow = (range: Range, now: number): AbsoluteRange => ({
  kind: 'absolute',
  ...resolveRange(range, now),
});

/** Returns the previous (-1) or next (1) range of the same length; it never ends after now. */
export function shiftRange(range: Range, direction: -1 | 1, now: number): Range {
  const { from, to } = resolveRange(range, now);
  const length = to - from;
  const moved = from + direction * length;
  if (moved + length < now) return { kind: 'absolute', from: moved, to: moved + length };
  return range.kind === 'relative' ? range : { kind: 'absolute', from: now - length, to: now };
}

/** Formats a moment in the shortest form, without seconds or milliseconds that are zero. */
function encodeMoment(at: number): string {
  const text = new Date(at).toISOString();
  if (at % 60_000 === 0) return `${text.slice(0, 16)}Z`;
  return at % 1000 === 0 ? `${text.slice(0, 19)}Z` : text;
}

function decodeMoment(text: string): number | null {
  const match = MOMENT.exec(text);
  if (match === null) return null;
  const full = `${match[1] ?? ''}:${match[2] ?? '00'}.${match[3] ?? '000'}Z`;
  const at = Date.parse(full);
  const isReal = at >= FIRST && at <= LAST && new Date(at).toISOString() === full;
  return isReal ? at : null;
}
