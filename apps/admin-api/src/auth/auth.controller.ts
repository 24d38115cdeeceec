import { Body, Get, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ControlRoutes } from '../control-routes';
import { Public, SessionOnly } from './access';
import { LoginDto, RefreshDto } from './auth.dto';
import { Caller, type Principal } from './principal';
import { factsOf } from './principals.service';
import { SelfService, type SelfAnswer } from './self.service';
import { SessionsService, type TokenAnswer } from './sessions.service';

@ControlRoutes('auth')
export class AuthController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly selves: SelfService,
  ) {}

  @Post('login')
  @Public('This is how a session begins; guesses are throttled.')
  login(@Body() body: LoginDto, @Req() request: FastifyRequest): Promise<TokenAnswer> {
    return this.sessions.login(body, factsOf(request));
  }

  @Post('refresh')
  @Public('The refresh token in the body is the credential.')
  refresh(@Body() body: RefreshDto): Promise<TokenAnswer> {
    return this.sessions.refresh(body);
  }

  @Post('logout')
  @SessionOnly()
  logout(@Caller() caller: Principal): Promise<object> {
    return this.sessions.logout(caller);
  }

  @Get('self')
  @SessionOnly()
  self(@Caller() caller: Principal): Promise<SelfAnswer> {
    return this.selves.describe(caller);
  }
}
