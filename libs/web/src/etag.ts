import { GatewayError } from '@gw/kernel';
import {
  createParamDecorator,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { map, type Observable } from 'rxjs';

/**
 * Returns the strong entity tag of a row's version as in the header: `"7"` including the quotes.
 */
export const etagOf = (row: { readonly version: number }): string => `"${String(row.version)}"`;

/**
 * Returns the strong entity tag of a resource without a version: a digest of what its routes
 * change.
 */
export const contentTag = (content: object): string =>
  `"${createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, TAG_LENGTH)}"`;

/** Length of the digest in characters; 132 bits. */
const TAG_LENGTH = 22;

export const ifMatchOf = (context: ExecutionContext): string | undefined =>
  context.switchToHttp().getRequest<FastifyRequest>().headers['if-match'];

const READERS = new WeakSet<object>();

/**
 * Marks the factory of a parameter decorator that reads `If-Match`, so that its routes take the
 * header.
 */
export function readsIfMatch<F extends object>(factory: F): F {
  READERS.add(factory);
  return factory;
}

/**
 * Parameter decorator for the `If-Match` header, or undefined. Pass the value to `assertMatches` or
 * `assertTag` inside the transaction that locked the row. A route without this parameter refuses
 * the header.
 */
export const IfMatch = createParamDecorator(
  readsIfMatch((_data: unknown, context: ExecutionContext) => ifMatchOf(context)),
);

/** Whether a controller's handler accepts the `If-Match` header. */
export function takesIfMatch(controller: Type, handler: string): boolean {
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler) ?? {}) as Readonly<
    Record<string, { readonly factory?: object }>
  >;
  return Object.values(args).some(({ factory }) => factory !== undefined && READERS.has(factory));
}

/** Throws `etag_mismatch` (412) unless the header is absent, `*`, or contains the row's version. */
export const assertMatches = (ifMatch: string | undefined, row: { readonly version: number }): void =>
  assertTag(ifMatch, etagOf(row));

/**
 * Throws `etag_mismatch` (412) unless the header is absent, `*`, or contains a tag of `contentTag`.
 */
export function assertTag(ifMatch: string | undefined, current: string): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const given = ifMatch.split(',').map((tag) => tag.trim());
  if (!given.includes(current)) throw new GatewayError('etag_mismatch', { param: 'if-match' });
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses `If-Match` on routes that do not check it, because an unchecked precondition must not
 * seem to hold.
 */
function refuseUnchecked(context: ExecutionContext): void {
  const { headers, method } = context.switchToHttp().getRequest<FastifyRequest>();
  if (headers['if-match'] === undefined || SAFE_METHODS.has(method)) return;
  if (takesIfMatch(context.getClass(), context.getHandler().name)) return;
  throw new GatewayError('header_invalid', {
    param: 'if-match',
    message: 'This route has no etag to compare; send the request without If-Match.',
  });
}

/**
 * Sends a response's `etag` member as the header too. Refuses `If-Match` on routes that do not
 * check it.
 */
@Injectable()
export class EtagInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    refuseUnchecked(context);
    return next.handle().pipe(
      map((response: unknown) => {
        if (typeof response === 'object' && response !== null && 'etag' in response) {
          const { etag } = response;
          if (typeof etag === 'string') {
            void context.switchToHttp().getResponse<FastifyReply>().header('etag', etag);
          }
        }
        return response;
      }),
    );
  }
}
