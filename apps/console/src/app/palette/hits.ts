import type { IconName } from '../../ui/icons/icon';

/** A row of the palette: a link to an address, or an action. */
export interface Hit {
  readonly key: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly icon: IconName;
  /** Address below the console's base; absent when the row has an action in `run`. */
  readonly address?: string;
  readonly run?: (goTo: (address: string) => void) => void;
  /** Actions that the Tab key offers for the row. */
  readonly actions?: readonly Hit[];
}

export interface HitGroup {
  readonly title: string;
  readonly hits: readonly Hit[];
}

/**
 * Ranks how well a name matches a text: 0 equal, 1 begins with it, 2 a word begins with it, 3
 * contains it, 4 no match.
 */
export function rankOf(name: string, text: string): number {
  const [one, other] = [name.toLowerCase(), text.toLowerCase()];
  if (one === other) return 0;
  if (one.startsWith(other)) return 1;
  const at = one.indexOf(other);
  if (at < 0) return 4;
  return /[\s\-_/.@]/.test(one[at - 1] ?? '') ? 2 : 3;
}

/** Rank of a row, by its label or its hint, such as a slug. */
const rowRank = ({ label, hint = '' }: Hit, text: string): number =>
  Math.min(rankOf(label, text), rankOf(hint, text));

const best = ({ hits }: HitGroup, text: string): number => Math.min(...hits.map((hit) => rowRank(hit, text)));

/** Sorts groups and their rows by how well they match the text, best first. The sort is stable. */
export function ranked(groups: readonly HitGroup[], text: string): readonly HitGroup[] {
  if (text === '') return groups;
  return groups
    .map(({ title, hits }) => ({
      title,
      hits: hits.toSorted((one, other) => rowRank(one, text) - rowRank(other, text)),
    }))
    .sort((one, other) => best(one, text) - best(other, text));
}
