import type { ReactNode } from 'react';

/** Form behind inputs: of a new resource, or of one that is edited with `useResourceForm`. Paths are dotted. */
export interface Fields {
  readonly valueOf: (path: string) => unknown;
  /** On behalf of the user; undefined and null clear. */
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

/** Members of `useResourceForm` that `fieldsOf` uses. */
interface EditedForm {
  readonly valueOf: (path: string) => unknown;
  readonly setValue: (path: string, value: unknown) => void;
  readonly field: (path: string) => object;
}

/** The inputs of a resource that is edited. */
export const fieldsOf = ({ valueOf, setValue, field }: EditedForm): Fields => ({
  valueOf,
  setValue,
  errorOf: (path) => (field(path) as { readonly error?: ReactNode }).error,
});
