import { useMemo, useState } from 'react';
import type { Problem } from '../../api';
import { draftOf, keepDraft } from '../../write/drafts';
import { getAt, pathOf, setAt } from '../../write/paths';
import type { Fields } from './fields';

type Values<T> = Readonly<Partial<T>>;

/**
 * State of a form for a new resource, in the shape of the API's request body. With a `draft` name,
 * the values are stored in this tab; forms with secrets must not pass one.
 */
export function useNewFields<T extends object>(
  initial: Values<T>,
  { draft, problem }: { readonly draft?: string; readonly problem?: Problem | null } = {},
) {
  const [restored] = useState(() => (draft === undefined ? null : draftOf(draft)));
  const [isRestored, setRestored] = useState(restored !== null);
  const [isChanged, setChanged] = useState(false);
  const [values, setValues] = useState<Values<T>>(() => ({ ...initial, ...(restored?.values as Values<T>) }));
  const fields = useMemo((): Fields => {
    const errors = problem?.byPath;
    return {
      valueOf: (path) => getAt(values, pathOf(path)),
      setValue: (path, value) => {
        setChanged(true);
        setValues((before) => {
          const next = setAt(before, pathOf(path), value ?? undefined) as Values<T>;
          if (draft !== undefined) keepDraft(draft, { values: next, touched: [['*']] });
          return next;
        });
      },
      errorOf: (path) => errors?.get(path),
    };
  }, [values, draft, problem]);
  const clear = (): void => {
    if (draft !== undefined) keepDraft(draft, { values: {}, touched: [] });
    setRestored(false);
  };
  return { values, setValues, fields, isChanged, isRestored, clear };
}
