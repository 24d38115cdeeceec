import type { Fields, Path } from './paths';

const PREFIX = 'tollgate:draft:';

/** Unsaved changes of a form whose page was left. */
export interface Draft {
  readonly values: Fields;
  readonly touched: readonly Path[];
  /** The version that the form showed; absent in a form for a new resource. */
  readonly base?: Fields;
  readonly etag?: string | null;
}

/**
 * Stores the changed members of a form in this tab; deletes the draft when nothing was changed.
 * Must not be used for a form with secrets.
 */
export function keepDraft(key: string, { values, touched, base, etag }: Draft): void {
  try {
    if (touched.length === 0) sessionStorage.removeItem(PREFIX + key);
    else sessionStorage.setItem(PREFIX + key, JSON.stringify({ values, touched, base, etag }));
  } catch {
    // Without storage there is no draft.
  }
}

/** Returns the draft of a form; null when there is none. */
export function draftOf(key: string): Draft | null {
  try {
    const text = sessionStorage.getItem(PREFIX + key);
    return text === null ? null : (JSON.parse(text) as Draft);
  } catch {
    return null;
  }
}
