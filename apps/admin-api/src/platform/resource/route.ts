import { EmptyResponse } from '@gw/web';
import { applyDecorators, Delete, Get, Post, Put, type Type } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { Requires } from '../auth/access';

type Scopes = string | [string, ...string[]];

const route =
  (method: (path: string | string[]) => MethodDecorator) =>
  (path: string | string[], scopes: Scopes, answer: Type | [Type] = EmptyResponse): MethodDecorator =>
    applyDecorators(
      method(path),
      Requires(...(typeof scopes === 'string' ? ([scopes] as [string]) : scopes)),
      ApiOkResponse({ type: answer }),
    );

/** A route below the controller's paths: who may call it, and what it answers; `{}` when no class is given. */
export const Route = { get: route(Get), post: route(Post), put: route(Put), delete: route(Delete) } as const;
