import { TextField } from '@gw/web';
import { Body, Get, Inject, Post, Query, Req, Res } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../auth/access';
import { SsoCodeResponse, SsoDiscoveryQuery, SsoDiscoveryResponse, TokenResponse } from '../auth/auth.dto';
import { factsOf } from '../auth/principals.service';
import { OpensSession } from './opens-session';
import { ControlRoutes } from '../control-routes';
import { SETTINGS } from '../../settings';
import { endOfLogin, type LoginEndSettings } from './login-ends';
import { orRefusalPage } from './refusal-pages';
import { SsoLogins } from './sso-login.service';
import { SsoTestResponse } from './sso-tests.dto';

export class SsoExchangeDto {
  @TextField({ max: 128, description: 'Code that the callback returned.', example: '9fK2…' }) code!: string;
  @TextField({ max: 128, description: 'The login_binding that the login returned.', example: '4Gq9…' })
  login_binding!: string;
}

@ControlRoutes('auth')
export class SsoLoginController {
  constructor(
    private readonly logins: SsoLogins,
    @Inject(SETTINGS) private readonly settings: LoginEndSettings,
  ) {}

  /**
   * Callback to which OpenID Connect providers return users. With a console, redirects the browser
   * to it with the code.
   */
  @Get('callback')
  @Public('The state in the query is checked and works once.')
  @ApiExtraModels(SsoCodeResponse, SsoTestResponse)
  @ApiOkResponse({
    schema: { oneOf: [SsoCodeResponse, SsoTestResponse].map((type) => ({ $ref: getSchemaPath(type) })) },
  })
  @ApiResponse({
    status: 303,
    description: 'Redirects to the console, with the code and return_path in the query.',
  })
  async callback(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SsoCodeResponse | SsoTestResponse | undefined> {
    const query = request.url.split('?')[1] ?? '';
    return orRefusalPage(request, reply, async () => {
      const finished = await this.logins.finish(query, factsOf(request));
      if ('object' in finished) return finished;
      const end = endOfLogin(finished, this.settings);
      if (end === null) return { code: finished.code, object: 'sso-code' };
      await reply.redirect(end, 303);
      return undefined;
    });
  }

  /** Returns how an address can log in: by password, by the connections of its domain, or both. */
  @Get('sso/discover')
  @Public('It tells of domains, which are public, and nothing of users.')
  @ApiOkResponse({ type: SsoDiscoveryResponse })
  async discover(@Query() { email }: SsoDiscoveryQuery): Promise<SsoDiscoveryResponse> {
    const { connections, isEnforced } = await this.logins.choicesFor(email);
    const methods = [...(isEnforced ? [] : ['password']), ...(connections.length > 0 ? ['sso'] : [])];
    return { methods, connections, object: 'sso-discovery' };
  }

  /** Exchanges the code of a callback for a session. */
  @Post('sso/exchange')
  @Public('The code and the binding of the login are the credential; both work once.')
  @OpensSession()
  exchange(
    @Body() { code, login_binding: binding }: SsoExchangeDto,
    @Req() request: FastifyRequest,
  ): Promise<TokenResponse> {
    return this.logins.exchange(code, binding, factsOf(request));
  }
}
