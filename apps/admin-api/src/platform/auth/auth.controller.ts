import { EmptyResponse } from '@gw/web';
import { Body, Get, Post, Req } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { ControlRoutes } from '../control-routes';
import { Public, SessionOnly } from './access';
import { LoginDto, RefreshDto, SelfResponse, TokenResponse } from './auth.dto';
import { Caller, type Principal } from '../common/principal';
import { factsOf } from './principals.service';
import { SelfService } from './self.service';
import { SessionsService } from './sessions.service';

@ControlRoutes('auth')
export class AuthController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly selves: SelfService,
  ) {}

  @Post('login')
  @Public('A login has no credential yet; password attempts are throttled.')
  @ApiOkResponse({ type: TokenResponse })
  login(@Body() body: LoginDto, @Req() request: FastifyRequest): Promise<TokenResponse> {
    return this.sessions.login(body, factsOf(request));
  }

  @Post('refresh')
  @Public('The refresh token in the body is the credential.')
  @ApiOkResponse({ type: TokenResponse })
  refresh(@Body() body: RefreshDto): Promise<TokenResponse> {
    return this.sessions.refresh(body);
  }

  @Post('logout')
  @SessionOnly()
  @ApiOkResponse({ type: EmptyResponse })
  logout(@Caller() caller: Principal): Promise<object> {
    return this.sessions.logout(caller);
  }

  @Get('self')
  @SessionOnly()
  @ApiOkResponse({ type: SelfResponse })
  self(@Caller() caller: Principal): Promise<SelfResponse> {
    return this.selves.describe(caller);
  }
}
