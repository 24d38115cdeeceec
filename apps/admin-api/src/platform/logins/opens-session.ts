import { HEADER } from '@gw/contracts';
import { applyDecorators, UseInterceptors, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiHeader, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import { SelfResponse, TokenResponse } from '../auth/auth.dto';
import { ConsoleLoginInterceptor } from './console-login.interceptor';

/**
 * Documents a route that opens a session: a client gets tokens; a console gets a cookie and its
 * user. `others` are further response types.
 */
export function OpensSession(...others: Type[]): MethodDecorator {
  const types = [TokenResponse, SelfResponse, ...others];
  return applyDecorators(
    UseInterceptors(ConsoleLoginInterceptor),
    ApiExtraModels(...types),
    ApiHeader({
      name: HEADER.console,
      required: false,
      description: 'Send 1 from a console. The session is then in a cookie, and the response is the user.',
    }),
    ApiOkResponse({ schema: { oneOf: types.map((type) => ({ $ref: getSchemaPath(type) })) } }),
  );
}
