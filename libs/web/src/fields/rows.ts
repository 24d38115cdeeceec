import type { Type as Class } from '@nestjs/common';
import { etagOf } from '../etag';
import { fieldsOf } from './documented-fields';

/** Maps a field to its column: `color_code` of the API is `colorCode` of a row. */
type Camel<S> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S & string;

const camelCase = (name: string): string =>
  name.replaceAll(/_([a-z0-9])/g, (_whole, letter: string) => letter.toUpperCase());

const CAMEL = new Map<string, string>();

/** Returns the name of a field's column; names are cached. */
function columnOf(field: string): string {
  const column = CAMEL.get(field) ?? camelCase(field);
  CAMEL.set(field, column);
  return column;
}

/** Times are shown as ISO 8601. */
type Plain<V> = V extends Date ? string : V;

type Fits<A, R, K extends keyof A> =
  Camel<K> extends keyof R ? (Plain<R[Camel<K>]> extends A[K] ? true : false) : false;

/** Fields of a response that the row has under the same name, and its tag. */
type FromRow<A, R> = { [K in keyof A]-?: Fits<A, R, K> extends true ? K : never }[keyof A] | 'etag';
/** Fields whose column has another type. */
type Unlike<A, R> = {
  [K in keyof A]-?: Camel<K> extends keyof R ? (Fits<A, R, K> extends true ? never : K) : never;
}[keyof A];

type More<A, R> = Omit<A, FromRow<A, R>> & Required<Pick<A, Exclude<Unlike<A, R>, 'etag'>>> & Partial<A>;

type MoreArgument<A, R> = object extends More<A, R> ? [more?: More<A, R>] : [more: More<A, R>];

/**
 * Returns the response of a row: every documented field of the class, from `more` if it has the
 * field, else from the column with the same name in camel case. Other columns are omitted. `etag`
 * is derived from the row's version; times become ISO 8601 text.
 */
export function viewOf<A extends object, R extends { readonly version: number }>(
  type: Class<A>,
  row: R,
  ...[more]: MoreArgument<A, R>
): A {
  const columns = row as Readonly<Record<string, unknown>>;
  const given = (more ?? {}) as Readonly<Record<string, unknown>>;
  const view: Record<string, unknown> = {};
  for (const name of fieldsOf(type).keys()) {
    const value = Object.hasOwn(given, name)
      ? given[name]
      : name === 'etag'
        ? etagOf(row)
        : columns[columnOf(name)];
    if (value !== undefined) view[name] = value instanceof Date ? value.toISOString() : value;
  }
  return view as A;
}

type OptionalKeys<F> = { [K in keyof F]-?: object extends Pick<F, K> ? K : never }[keyof F];

/** Columns of a new row; null for fields that the request omits. */
type Columns<F> = {
  [K in keyof F as Camel<K>]-?: Exclude<F[K], undefined> | (K extends OptionalKeys<F> ? null : never);
};

/** Returns the columns of a new row for the fields of a class. Ignores other members of `input`. */
export function columnsOf<F extends object>(fields: Class<F>, input: F): Columns<F> {
  const given = input as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    [...fieldsOf(fields).keys()].map((name) => [columnOf(name), given[name] ?? null]),
  ) as Columns<F>;
}

/** Fields without a column, or with a column of another type. */
type Misfits<F, R> = {
  [K in keyof F]-?: Camel<K> extends keyof R ? (Exclude<F[K], undefined> extends R[Camel<K>] ? never : K) : K;
}[keyof F];

/**
 * Sets the columns of the fields in the request; null clears a column. Ignores other members of
 * `input`.
 */
export function assign<F extends object, R extends object>(
  fields: Class<F>,
  row: [Misfits<F, R>] extends [never] ? R : { readonly misfits: Misfits<F, R> },
  input: { readonly [K in keyof F]?: F[K] | undefined },
): void {
  const given = input as Readonly<Record<string, unknown>>;
  for (const name of fieldsOf(fields).keys()) {
    if (given[name] !== undefined) Object.assign(row, { [columnOf(name)]: given[name] });
  }
}
