import type { Edit } from './merge';
import type { Fields, Path } from './paths';

const PREFIX = 'tollgate:draft:';

/** Changes in a form when its page was left. */
export interface Draft {
  readonly values: Fields;
  readonly touched: readonly Path[];
}

/** Keeps the touched members of a form for this tab. Never call it with a form that holds secrets. */
export function keepDraft(key: string, { values, touched }: Pick<Edit, 'values' | 'touched'>): void {
  try {
    if (touched.length === 0) sessionStorage.removeItem(PREFIX + key);
    else sessionStorage.setItem(PREFIX + key, JSON.stringify({ values, touched }));
  } catch {
    // A browser that is full keeps no draft.
  }
}

/** The draft of a form; null without one. */
export function draftOf(key: string): Draft | null {
  try {
    const text = sessionStorage.getItem(PREFIX + key);
    return text === null ? null : (JSON.parse(text) as Draft);
  } catch {
    return null;
  }
}
