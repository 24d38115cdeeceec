import { useState } from 'react';

/** Props of an input that `useTyped` controls. */
export interface TypedInput<T> {
  readonly value: T;
  readonly onChange: (value: T) => void;
  readonly onBlur: () => void;
}

/**
 * Props of an input whose value is in the address, which changes after the event. Shows what the
 * user types until the input loses the focus: React would put the former value back after each key,
 * and the caret would jump to the end.
 */
export function useTyped<T extends string>(value: T, onChange: (value: T) => void): TypedInput<T> {
  const [typed, setTyped] = useState<T | null>(null);
  return {
    value: typed ?? value,
    onChange: (next) => {
      setTyped(next);
      onChange(next);
    },
    onBlur: () => setTyped(null),
  };
}
