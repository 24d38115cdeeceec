import type { Passage, PassageKind } from './passages';

export const SCOPES = ['last_message', 'messages', 'system', 'tools', 'tool_results', 'all'] as const;

/** The texts that a check looks at. */
export type Scope = (typeof SCOPES)[number];

const KINDS: Readonly<Record<Exclude<Scope, 'all' | 'last_message'>, readonly PassageKind[]>> = {
  messages: ['user', 'assistant', 'reasoning', 'citation', 'other', 'rest'],
  system: ['system'],
  tools: ['tool_definition', 'tool_call', 'tool_name'],
  tool_results: ['tool_result'],
};

/**
 * Texts of the conversation itself; tool definitions, names of tools, instructions and citations are
 * never the last message.
 */
const SPOKEN: readonly PassageKind[] = [
  'user',
  'assistant',
  'reasoning',
  'tool_call',
  'tool_result',
  'other',
];

/**
 * Returns the positions in `passages` that the scopes select, in order. `allAreLast` means that the
 * units are independent, so each of them is a last message.
 */
export function select(
  passages: readonly Passage[],
  scopes: readonly Scope[],
  allAreLast: boolean,
): readonly number[] {
  if (scopes.includes('all')) return passages.map((_, index) => index);
  const isLast = scopes.includes('last_message') ? lastOf(passages, allAreLast) : () => false;
  const kinds = new Set(
    scopes.flatMap((scope) => (scope === 'all' || scope === 'last_message' ? [] : KINDS[scope])),
  );
  const positions: number[] = [];
  passages.forEach((passage, index) => {
    if (kinds.has(passage.kind) || (SPOKEN.includes(passage.kind) && isLast(passage.unit))) {
      positions.push(index);
    }
  });
  return positions;
}

function lastOf(passages: readonly Passage[], allAreLast: boolean): (unit: number) => boolean {
  if (allAreLast) return () => true;
  const last = lastSpokenUnit(passages);
  return (unit) => unit === last;
}

function lastSpokenUnit(passages: readonly Passage[]): number {
  for (let index = passages.length - 1; index >= 0; index--) {
    const passage = passages[index];
    if (passage && SPOKEN.includes(passage.kind)) return passage.unit;
  }
  return -1;
}
