import type { Part, Seal } from '../call';
import { carriedSeal, isCarriable, readSeal } from '../values/seals';

/** Prefix of Google's seals in the signature of a thinking block. */
const GOOGLE = 'g1.';

/**
 * Reads the signature of a thinking block: Anthropic's, or a carried seal of another maker.
 * Undefined without a signature.
 */
export function readSignature(signature: string): Seal | undefined {
  if (signature === '') return undefined;
  if (signature.startsWith(GOOGLE)) return { by: 'google', value: signature.slice(GOOGLE.length) };
  return readSeal(signature, 'anthropic');
}

/** Writes a seal as the signature of a thinking block; null when it is too long to be carried. */
export function writeSignature(seal: Seal): string | null {
  if (!isCarriable(seal, 'anthropic')) return null;
  return seal.by === 'google' ? `${GOOGLE}${seal.value}` : carriedSeal(seal, 'anthropic');
}

/** Placeholder that prevents a call from taking a carried seal that belongs to another part. */
export const NO_SEAL: Seal = { by: 'google', value: '' };

/** Returns the seal of a thinking block that only carries it; undefined for any other part. */
export const carried = (part: Part | undefined): Seal | undefined =>
  part?.kind === 'reasoning' && part.text === '' && part.seal?.by === 'google' ? part.seal : undefined;

/**
 * Moves Google's seals from thinking blocks without text to the parts that they belong to: the tool
 * call after the block, else the text before it.
 */
export function unpackCarriers(parts: readonly Part[]): Part[] {
  const unpacked: Part[] = [];
  for (const [index, part] of parts.entries()) {
    const seal = carried(part);
    const before = carried(parts[index - 1])?.value === '' ? undefined : carried(parts[index - 1]);
    if (seal === undefined) {
      unpacked.push(part.kind === 'tool_call' && before !== undefined ? { ...part, seal: before } : part);
    } else if (seal.value !== '' && parts[index + 1]?.kind !== 'tool_call') {
      const last = unpacked.at(-1);
      if (last?.kind === 'text') unpacked[unpacked.length - 1] = { ...last, seal };
      else unpacked.push(part);
    }
  }
  return unpacked;
}
