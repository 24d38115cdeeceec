import { A2aError, type A2aErrorKind } from '../protocol/errors';
import type { Operation } from '../protocol/operations';
import type { A2aVersion } from '../protocol/versions';
import { knownParams } from './known-params';
import { ShapeFault, type Members } from './members';
import { paramsTo03, paramsTo10 } from './requests';
import { resultTo03, resultTo10, type TranslatedOperation } from './results';

/** The version of a value, and the version to translate it to. */
export interface Direction {
  readonly from: A2aVersion;
  readonly to: A2aVersion;
}

/** Runs `translate`; a value without the shape of A2A becomes an `A2aError` of `kind`. */
export function withErrorKind<T>(kind: A2aErrorKind, translate: () => T): T {
  try {
    return translate();
  } catch (error) {
    if (error instanceof ShapeFault) throw new A2aError(kind, error.message);
    throw error;
  }
}

/**
 * Returns the parameters of an operation in the version of the agent. Members that it does not have
 * are dropped; see `knownParams`. Throws `A2aError` `invalidParams`.
 */
export function translateParams(operation: Operation, params: Members, { from, to }: Direction): Members {
  if (from === to) return knownParams(operation, params, to);
  const translate = to === '1.0' ? paramsTo10 : paramsTo03;
  return withErrorKind('invalidParams', () => translate(operation, params));
}

/**
 * Returns the result of an operation, or one event of its stream, in another version. With equal
 * versions nothing changes. Throws `A2aError` `invalidAgentResponse`.
 */
export function translateResult(
  operation: TranslatedOperation,
  result: unknown,
  { from, to }: Direction,
): unknown {
  if (from === to) return result;
  const translate = to === '1.0' ? resultTo10 : resultTo03;
  return withErrorKind('invalidAgentResponse', () => translate(operation, result));
}
