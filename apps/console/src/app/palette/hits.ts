import type { IconName } from '../../ui/icons/icon';

/** A row of the palette: goes to an address, or does something. */
export interface Hit {
  readonly key: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly icon: IconName;
  /** Below the console; absent: `run` acts. */
  readonly address?: string;
  readonly run?: (goTo: (address: string) => void) => void;
  /** Actions that `Tab` offers for the entry. */
  readonly actions?: readonly Hit[];
}

export interface HitGroup {
  readonly title: string;
  readonly hits: readonly Hit[];
}

/** How well a name fits a text: 0 the same, 1 begins with it, 2 a word begins with it, 3 has it, 4 not. */
export function rankOf(name: string, text: string): number {
  const [one, other] = [name.toLowerCase(), text.toLowerCase()];
  if (one === other) return 0;
  if (one.startsWith(other)) return 1;
  const at = one.indexOf(other);
  if (at < 0) return 4;
  return /[\s\-_/.@]/.test(one[at - 1] ?? '') ? 2 : 3;
}

const best = ({ hits }: HitGroup, text: string): number =>
  Math.min(...hits.map(({ label, hint }) => Math.min(rankOf(label, text), rankOf(hint ?? '', text))));

/** Groups and their rows, those first that fit the text best. Equal ones stay in their order. */
export function ranked(groups: readonly HitGroup[], text: string): readonly HitGroup[] {
  if (text === '') return groups;
  return groups
    .map(({ title, hits }) => ({
      title,
      hits: hits.toSorted((one, other) => rankOf(one.label, text) - rankOf(other.label, text)),
    }))
    .sort((one, other) => best(one, text) - best(other, text));
}
