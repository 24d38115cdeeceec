import { ifMatchOf, readsIfMatch } from '@gw/web';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { callerOf, type Principal } from '../common/principal';

/** The resource that a path names, who means it, and in which version. */
export interface At {
  readonly caller: Principal;
  /** The id or slug of the path. */
  readonly reference: string;
  /** The `If-Match` header, for `lockRow` and the functions that use it. */
  readonly ifMatch: string | undefined;
}

const read = createParamDecorator(
  readsIfMatch((name: string, context: ExecutionContext): At => {
    const { params } = context
      .switchToHttp()
      .getRequest<FastifyRequest<{ Params: Record<string, string> }>>();
    return { caller: callerOf(context), reference: params[name] ?? '', ifMatch: ifMatchOf(context) };
  }),
);

/** `update(@Named('labelId') at: At, …)`: the resource that the path names by this parameter. */
export const Named =
  (parameter: string): ParameterDecorator =>
  (target, key, index) => {
    read(parameter)(target, key, index);
    const descriptor = Object.getOwnPropertyDescriptor(target, key ?? '');
    if (key === undefined || !descriptor) throw new Error('Named belongs to a parameter of a method.');
    ApiParam({ name: parameter, type: 'string' })(target, key, descriptor);
  };
