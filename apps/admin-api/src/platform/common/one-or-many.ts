import { RequestValidationPipe, validationFailed } from '@gw/web';
import { createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { setImmediate } from 'node:timers/promises';

const ITEMS_MAX = 1_000;
/**
 * Number of items processed before yielding to the event loop, where validating or explaining one
 * takes a few tenths of a millisecond.
 */
export const ITEMS_OF_A_TURN = 25;
const pipe = new RequestValidationPipe();

/** Injects the unvalidated body: an object or a list of objects. */
export const OneOrManyBody = createParamDecorator(
  (_data: unknown, context: ExecutionContext): unknown =>
    context.switchToHttp().getRequest<FastifyRequest>().body,
);

/**
 * Returns a list of 1 to 1,000 valid `T` from a body that is a list or a single `T`. Throws
 * `validation_failed`.
 */
export async function oneOrMany<T>(body: unknown, type: Type<T>): Promise<T[]> {
  const items: unknown[] = Array.isArray(body) ? body : [body];
  if (items.length === 0 || items.length > ITEMS_MAX)
    throw validationFailed([{ path: '', message: `the list must have 1 to ${String(ITEMS_MAX)} items` }]);
  const checked: T[] = [];
  for (const [at, item] of items.entries()) {
    if (at % ITEMS_OF_A_TURN === ITEMS_OF_A_TURN - 1) await setImmediate();
    checked.push((await pipe.transform(item ?? {}, { type: 'body', metatype: type, data: undefined })) as T);
  }
  return checked;
}
