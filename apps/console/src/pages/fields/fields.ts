import type { ReactNode } from 'react';

/**
 * Access of inputs to their form, which is for a new resource or for one edited with
 * `useResourceForm`. Paths are dotted.
 */
export interface Fields {
  readonly valueOf: (path: string) => unknown;
  /** Sets a value that the user entered; undefined and null clear it. */
  readonly setValue: (path: string, value: unknown) => void;
  readonly errorOf: (path: string) => ReactNode;
}

export const textAt = (fields: Fields, path: string): string => {
  const value = fields.valueOf(path);
  return typeof value === 'string' ? value : '';
};

export const numberAt = (fields: Fields, path: string): number | '' => {
  const value = fields.valueOf(path);
  return typeof value === 'number' ? value : '';
};

/**
 * Value of a number field after a change: null when it is empty, undefined for an incomplete number
 * such as `1.`, which is ignored.
 */
export const numberOf = (typed: number | string): number | null | undefined =>
  typeof typed === 'number' ? typed : typed === '' ? null : undefined;

/**
 * Value of a number field that must not be empty, after a change: '' when it is empty, which the
 * API refuses where it accepts null; undefined for an incomplete number, which is ignored.
 */
export const requiredNumberOf = (typed: number | string): number | '' | undefined =>
  typeof typed === 'number' || typed === '' ? typed : undefined;

/** Members of `useResourceForm` that `fieldsOf` uses. */
interface EditedForm {
  readonly valueOf: (path: string) => unknown;
  readonly setValue: (path: string, value: unknown) => void;
  readonly field: (path: string) => object;
}

/** Adapts a `useResourceForm` to `Fields`. */
export const fieldsOf = ({ valueOf, setValue, field }: EditedForm): Fields => ({
  valueOf,
  setValue,
  errorOf: (path) => (field(path) as { readonly error?: ReactNode }).error,
});
