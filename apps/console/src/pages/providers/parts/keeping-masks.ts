import { isMasked } from '../../../write';
import type { Fields } from '../../fields/fields';

interface Saved {
  readonly key?: string | null | undefined;
  readonly configurations?: Readonly<Record<string, unknown>> | null | undefined;
}

/** Wraps fields so that clearing a secret restores its saved mask, which is not sent. */
export const keepingMasks = (fields: Fields, saved: Saved): Fields => ({
  ...fields,
  setValue: (path, value) => {
    const name = path.replace(/^configurations\./, '');
    const before = path === 'key' ? saved.key : path === name ? undefined : saved.configurations?.[name];
    const isEmpty = value === '' || value === null || value === undefined;
    fields.setValue(path, isEmpty && isMasked(before) ? before : value);
  },
});
