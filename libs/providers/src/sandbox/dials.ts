import { GatewayError } from '@gw/kernel';

/**
 * Settings of the sandbox that a caller gives in the model name (`sandbox-small?latency=200&cut=3`)
 * or in `sandbox_*` metadata.
 */
export interface Dials {
  /** Milliseconds before the status is sent. */
  readonly latency: number;
  /** Milliseconds between the status and the first chunk of the body. */
  readonly ttft: number;
  /** Milliseconds between two chunks of a stream. */
  readonly gap: number;
  /** Content chunks of a stream; null for one per word. */
  readonly chunks: number | null;
  /** Error status to return instead of a response; null for none. */
  readonly status: number | null;
  /**
   * Breaks the connection after this many content chunks, or in the middle of a response that is
   * not a stream.
   */
  readonly cut: number | null;
  /** `wrong`: counts ten times too high and a total that does not add up. `none`: no usage. */
  readonly usage: UsageDial;
}

export type UsageDial = 'right' | 'wrong' | 'none';

type NumberDial = Exclude<keyof Dials, 'usage'>;

/** Minimum and maximum of each dial. */
export const DIAL_BOUNDS: Readonly<Record<NumberDial, readonly [min: number, max: number]>> = {
  latency: [0, 120_000],
  ttft: [0, 120_000],
  gap: [0, 10_000],
  chunks: [1, 10_000],
  status: [400, 599],
  cut: [0, 10_000],
};

const DEFAULTS: Dials = {
  latency: 0,
  ttft: 0,
  gap: 0,
  chunks: null,
  status: null,
  cut: null,
  usage: 'right',
};
const METADATA_PREFIX = 'sandbox_';

/**
 * Returns the model name without dials, and the dials set in it and in the metadata; the model name
 * takes precedence.
 */
export function readDials(
  model: string,
  metadata: Readonly<Record<string, string>>,
): { readonly model: string; readonly dials: Dials } {
  const at = model.search(/[?:]/);
  const settings = new Map<string, string>();
  for (const [key, value] of Object.entries(metadata)) {
    if (key.startsWith(METADATA_PREFIX)) settings.set(key.slice(METADATA_PREFIX.length), value);
  }
  if (at >= 0) for (const [key, value] of new URLSearchParams(model.slice(at + 1))) settings.set(key, value);
  let dials = DEFAULTS;
  for (const [key, value] of settings) dials = { ...dials, [key]: readDial(key, value) };
  return { model: at < 0 ? model : model.slice(0, at), dials };
}

function readDial(key: string, value: string): number | UsageDial {
  if (key === 'usage') {
    if (value === 'right' || value === 'wrong' || value === 'none') return value;
    throw badDial('The sandbox dial usage must be right, wrong or none.');
  }
  if (!isNumberDial(key)) {
    throw badDial(
      `The sandbox has no such dial; use one of ${Object.keys(DIAL_BOUNDS).join(', ')} and usage.`,
    );
  }
  const [min, max] = DIAL_BOUNDS[key];
  const number = /^\d{1,6}$/.test(value) ? Number(value) : NaN;
  if (number >= min && number <= max) return number;
  throw badDial(`The sandbox dial ${key} must be a whole number from ${String(min)} to ${String(max)}.`);
}

const isNumberDial = (key: string): key is NumberDial => Object.hasOwn(DIAL_BOUNDS, key);

const badDial = (message: string): GatewayError =>
  new GatewayError('validation_failed', { message, param: 'model' });
