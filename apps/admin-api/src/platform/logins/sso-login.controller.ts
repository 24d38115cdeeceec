import { TextField } from '@gw/web';
import { Body, Get, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../auth/access';
import { SsoCodeResponse, TokenResponse } from '../auth/auth.dto';
import { factsOf } from '../auth/principals.service';
import { ControlRoutes } from '../control-routes';
import { SETTINGS, type AdminSettings } from '../../settings';
import { SsoLogins } from './sso-login.service';

export class SsoExchangeDto {
  @TextField({ max: 128, description: 'The code of the callback.', example: '9fK2…' }) code!: string;
  @TextField({ max: 128, description: 'The login_binding that the login returned.', example: '4Gq9…' })
  login_binding!: string;
}

@ControlRoutes('auth')
export class SsoLoginController {
  constructor(
    private readonly logins: SsoLogins,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'CONSOLE_URL'>,
  ) {}

  /** Where identity providers send users back. With a console the browser goes on there, with the code. */
  @Get('callback')
  @Public('The state in the query is checked and works once.')
  @ApiOkResponse({ type: SsoCodeResponse })
  async callback(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SsoCodeResponse | undefined> {
    const query = request.url.split('?')[1] ?? '';
    const { code } = await this.logins.finish(query, factsOf(request));
    const { CONSOLE_URL: console } = this.settings;
    if (console === null) return { code, object: 'sso-code' };
    await reply.redirect(`${console.replace(/\/$/, '')}/login/sso?code=${code}`, 303);
    return undefined;
  }

  /** Exchanges the code of a callback for a session. */
  @Post('sso/exchange')
  @Public('The code and the binding of the login are the credential; both work once.')
  @ApiOkResponse({ type: TokenResponse })
  exchange(
    @Body() { code, login_binding: binding }: SsoExchangeDto,
    @Req() request: FastifyRequest,
  ): Promise<TokenResponse> {
    return this.logins.exchange(code, binding, factsOf(request));
  }
}
