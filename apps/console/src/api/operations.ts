import type { operations } from '../generated/openapi';
import ACCESS from '../generated/access.json';

/** Operation of the admin API by its id in the OpenAPI document, such as `logs_list`. */
export type OperationId = keyof operations;

export interface OperationAccess {
  readonly method: string;
  /** Path with its parameters in braces, such as `/v1/logs/{logId}`. */
  readonly path: string;
  /** Callers that the operation admits: `public`, `session`, `api_key`, or those with `scopes`. */
  readonly access: string;
  /** Scopes that admit a caller; one of them is enough. */
  readonly scopes: readonly string[];
  readonly roles: readonly string[];
  /** Security settings that can forbid the operation. */
  readonly settings: readonly string[];
}

/** Method, path and access of an operation. */
export const accessOf = (id: OperationId): OperationAccess => ACCESS[id];

type ParametersOf<O extends OperationId> = operations[O]['parameters'];
type Member<P, K extends string> = P extends { readonly [N in K]?: infer V } ? Exclude<V, undefined> : never;

export type PathOf<O extends OperationId> = Member<ParametersOf<O>, 'path'>;
export type QueryOf<O extends OperationId> = Member<ParametersOf<O>, 'query'>;

type NeverToAbsent<K extends string, V> = [V] extends [never] ? object : Readonly<Record<K, V>>;
type NeverToOptional<K extends string, V> = [V] extends [never] ? object : Readonly<Partial<Record<K, V>>>;

/** Parameters of an operation: `path` as in the OpenAPI document, and an optional `query`. */
export type Params<O extends OperationId> = NeverToAbsent<'path', PathOf<O>> &
  NeverToOptional<'query', QueryOf<O>>;

type Json<T> = T extends { readonly content: { readonly 'application/json': infer B } } ? B : never;

/** Request body of the operation. */
export type BodyOf<O extends OperationId> = operations[O] extends { requestBody?: infer B }
  ? Json<Exclude<B, undefined>>
  : never;

type Successes = 200 | 201 | 202 | 204;
type ResponsesOf<O extends OperationId> = operations[O]['responses'];

/** Body of the successful response. */
export type ResponseOf<O extends OperationId> = Json<
  ResponsesOf<O>[Extract<keyof ResponsesOf<O>, Successes>]
>;
