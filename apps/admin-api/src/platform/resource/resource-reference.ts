import { ifMatchOf, readsIfMatch } from '@gw/web';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { callerOf, type Principal } from '../common/principal';

/** The resource that a path parameter names, with the caller and the expected version. */
export interface ResourceReference {
  readonly caller: Principal;
  /** Id or slug from the path. */
  readonly reference: string;
  /** The `If-Match` header; `lockRow` and the functions that call it check it. */
  readonly ifMatch: string | undefined;
}

const read = createParamDecorator(
  readsIfMatch((name: string, context: ExecutionContext): ResourceReference => {
    const { params } = context
      .switchToHttp()
      .getRequest<FastifyRequest<{ Params: Record<string, string> }>>();
    return { caller: callerOf(context), reference: params[name] ?? '', ifMatch: ifMatchOf(context) };
  }),
);

/**
 * Injects the resource that this path parameter names: `update(@ResourceParam('labelId') at:
 * ResourceReference, …)`.
 */
export const ResourceParam =
  (parameter: string): ParameterDecorator =>
  (target, key, index) => {
    read(parameter)(target, key, index);
    const descriptor = Object.getOwnPropertyDescriptor(target, key ?? '');
    if (key === undefined || !descriptor)
      throw new Error('ResourceParam may only decorate a parameter of a method.');
    ApiParam({ name: parameter, type: 'string' })(target, key, descriptor);
  };
