import type { ReactElement } from 'react';
import { testSets as text } from '../../../messages/en/test-sets';
import { Badge, type Tone } from '../../../ui/primitives';
import { wordOf, type CellWord } from './results';
import type { Cell } from './test-run';

const TONES: Readonly<Partial<Record<CellWord, Tone>>> = {
  passed: 'ok',
  failed: 'danger',
  error: 'danger',
  unjudged: 'warn',
  left: 'warn',
  answered: 'info',
};

/** Badge with the result of a cell. */
export function CellBadge({ cell }: { readonly cell: Cell }): ReactElement {
  const word = wordOf(cell);
  return <Badge tone={TONES[word] ?? 'neutral'}>{text.words[word]}</Badge>;
}
