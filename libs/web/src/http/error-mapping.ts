import { GatewayError, type ErrorType } from '@gw/kernel';
import { HttpException } from '@nestjs/common';
import { isDatabaseAway } from './database-errors';

const BY_FASTIFY_CODE: ReadonlyMap<string, ErrorType> = new Map<string, ErrorType>(
  Object.entries({
    FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
    FST_ERR_CTP_INVALID_MEDIA_TYPE: 'content_type_unsupported',
    FST_ERR_CTP_EMPTY_JSON_BODY: 'body_invalid',
    FST_ERR_CTP_INVALID_JSON_BODY: 'body_invalid',
    FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'body_invalid',
    FST_ERR_NOT_FOUND: 'route_not_found',
    FST_ERR_BAD_URL: 'request_malformed',
    FST_ERR_INVALID_URL: 'request_malformed',
    // Longer than any supported value.
    FST_ERR_MAX_PARAM_LENGTH: 'not_found',
    FST_ERR_ASYNC_CONSTRAINT: 'route_not_found',
  } as const),
);

const BY_STATUS: Readonly<Record<number, ErrorType>> = {
  400: 'body_invalid',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'route_not_found',
  405: 'method_not_allowed',
  408: 'request_incomplete',
  409: 'conflict',
  413: 'body_too_large',
  415: 'content_type_unsupported',
  429: 'rate_limited',
  431: 'headers_too_large',
  503: 'unavailable',
};

const textOf = (source: object, key: string): string | null => {
  const value: unknown = Reflect.get(source, key);
  return typeof value === 'string' ? value : null;
};

/**
 * Converts anything thrown in a web app to the error that the caller sees: our own errors
 * unchanged, database outages as `unavailable`, errors of Nest and Fastify by code or status,
 * everything else as `internal_error`. Framework messages are dropped, because they can quote the
 * request.
 */
export function toPublicError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  if (typeof thrown !== 'object' || thrown === null)
    return new GatewayError('internal_error', { cause: thrown });
  if (isDatabaseAway(thrown))
    return new GatewayError('unavailable', {
      message: 'The database cannot respond right now; try again.',
      headers: { 'retry-after': '2' },
      cause: thrown,
    });
  const named = BY_FASTIFY_CODE.get(textOf(thrown, 'code') ?? '');
  if (named) return new GatewayError(named, { cause: thrown });
  const status: unknown =
    thrown instanceof HttpException ? thrown.getStatus() : Reflect.get(thrown, 'statusCode');
  const type = typeof status === 'number' ? BY_STATUS[status] : undefined;
  return new GatewayError(type ?? 'internal_error', { cause: thrown });
}
