import { useEffect, useState } from 'react';
import type { FilterField, FilterOption } from './fields';

const WAIT_MS = 150;

export interface OfferedOptions {
  readonly options: readonly FilterOption[];
  readonly state: 'loading' | 'ready' | 'failed';
}

/**
 * Suggested values of a field that match the typed text. Requests are debounced; until a response
 * arrives, the previous values are filtered.
 */
export function useOptions({ options }: FilterField, typed: string): OfferedOptions {
  const [offered, setOffered] = useState<OfferedOptions & { readonly typed: string | null }>({
    ...{ options: [], state: 'loading', typed: null },
  });
  useEffect(() => {
    if (typeof options !== 'function') return undefined;
    const controller = new AbortController();
    const settle = (found: readonly FilterOption[], state: 'ready' | 'failed'): void => {
      if (!controller.signal.aborted) setOffered({ options: found, state, typed });
    };
    const load = (): void =>
      void options(typed, controller.signal).then(
        (found) => settle(found, 'ready'),
        () => settle([], 'failed'),
      );
    const timer = setTimeout(load, typed === '' ? 0 : WAIT_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [options, typed]);
  if (typeof options !== 'function') return { options: matching(options ?? [], typed), state: 'ready' };
  if (offered.typed === typed) return offered;
  return { options: matching(offered.options, typed), state: 'loading' };
}

function matching(options: readonly FilterOption[], typed: string): readonly FilterOption[] {
  const lower = typed.trim().toLowerCase();
  return options.filter(({ value, label }) => `${value} ${label ?? ''}`.toLowerCase().includes(lower));
}
