import { EmptyResponse } from '@gw/web';
import { applyDecorators, Delete, Get, Post, Put, type Type } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { Requires } from '../auth/access';

type Scopes = string | [string, ...string[]];

const ETAG = {
  etag: { description: 'Etag of the resource, if it has one.', schema: { type: 'string' } },
} as const;

const route =
  (method: (path: string | string[]) => MethodDecorator, headers: typeof ETAG | null = ETAG) =>
  (path: string | string[], scopes: Scopes, response: Type | [Type] = EmptyResponse): MethodDecorator =>
    applyDecorators(
      method(path),
      Requires(...(typeof scopes === 'string' ? ([scopes] as [string]) : scopes)),
      ApiOkResponse({ type: response, ...(headers && { headers }) }),
    );

/**
 * Declares a route below the controller's paths, with its scopes and response class; without a
 * class the response is `{}`.
 */
export const Route = {
  get: route(Get),
  post: route(Post),
  put: route(Put),
  delete: route(Delete, null),
} as const;
