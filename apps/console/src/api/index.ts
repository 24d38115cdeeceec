export { CONSOLE_HEADERS } from '../begin/begun';
export {
  api,
  call,
  NEEDS_FACTOR,
  onSessionRefusal,
  openStream,
  type CallResult,
  type CallOptions,
} from './client';
export { inParallel } from './in-parallel';
export {
  accessOf,
  type ResponseOf,
  type BodyOf,
  type OperationAccess,
  type OperationId,
  type Params,
  type PathOf,
  type QueryOf,
} from './operations';
export { Problem, problemFrom, problemOf, type ProblemDetail, type ProblemLimit } from './problem';
export { keyOf, read, useRead, type ReadOptions } from './reads';
export {
  addE8,
  approximateUsd,
  cents,
  centsToE8,
  e8,
  exactText,
  usd,
  usdToE8,
  type Cents,
  type E8,
  type Usd,
} from './units';
