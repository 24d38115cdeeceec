import type { Seal, SealMaker } from '../call';

/** Prefix of a carried seal of any maker. */
const CARRIER = 'gw1.';
/** Maximum number of characters of a carried seal. */
const SEAL_MAX = 64 * 1024;
const MAKERS: ReadonlySet<string> = new Set<SealMaker>([
  'anthropic',
  'google',
  'openai',
  'xai',
  'openrouter',
  'cohere',
  'mistral',
  'deepseek',
]);

const isMaker = (name: string): name is SealMaker => MAKERS.has(name);

/** Returns whether a client can send a seal back: a foreign one must not be longer than 64 KiB. */
export const isCarriable = ({ by, value }: Seal, native: SealMaker): boolean =>
  by === native || value.length <= SEAL_MAX;

/**
 * Writes a seal in a member that a client's dialect defines for seals of `native`; a foreign seal
 * gets a prefix that names its maker.
 */
export const carriedSeal = ({ by, value }: Seal, native: SealMaker): string =>
  by === native ? value : `${CARRIER}${by}.${value}`;

/** Reads a seal that a client sends back: its own, or one that `carriedSeal` wrote. */
export function readSeal(text: string, native: SealMaker): Seal {
  if (text.startsWith(CARRIER)) {
    const dot = text.indexOf('.', CARRIER.length);
    const by = dot < 0 ? '' : text.slice(CARRIER.length, dot);
    if (isMaker(by)) return { by, value: text.slice(dot + 1) };
  }
  return { by: native, value: text };
}
