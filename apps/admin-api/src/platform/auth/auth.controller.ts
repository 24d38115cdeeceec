import { EmptyAnswer } from '@gw/web';
import { Body, Get, Post, Req } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { ControlRoutes } from '../control-routes';
import { Public, SessionOnly } from './access';
import { LoginDto, RefreshDto, SelfAnswer, TokenAnswer } from './auth.dto';
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
  @Public('This is how a session begins; guesses are throttled.')
  @ApiOkResponse({ type: TokenAnswer })
  login(@Body() body: LoginDto, @Req() request: FastifyRequest): Promise<TokenAnswer> {
    return this.sessions.login(body, factsOf(request));
  }

  @Post('refresh')
  @Public('The refresh token in the body is the credential.')
  @ApiOkResponse({ type: TokenAnswer })
  refresh(@Body() body: RefreshDto): Promise<TokenAnswer> {
    return this.sessions.refresh(body);
  }

  @Post('logout')
  @SessionOnly()
  @ApiOkResponse({ type: EmptyAnswer })
  logout(@Caller() caller: Principal): Promise<object> {
    return this.sessions.logout(caller);
  }

  @Get('self')
  @SessionOnly()
  @ApiOkResponse({ type: SelfAnswer })
  self(@Caller() caller: Principal): Promise<SelfAnswer> {
    return this.selves.describe(caller);
  }
}
