import { invalid } from '@gw/web';
import { Body, Get, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ControlRoutes } from '../control-routes';
import { Public, SessionOnly } from '../auth/access';
import {
  LoginDto,
  LogoutResponse,
  RefreshDto,
  SelfResponse,
  SsoRedirectResponse,
  TokenResponse,
} from '../auth/auth.dto';
import { CookieSessions } from '../auth/cookie-sessions.service';
import { OpensSession } from './opens-session';
import { SsoLogins } from './sso-login.service';
import { SsoLogouts } from './sso-logout.service';
import { Caller, type Principal } from '../common/principal';
import { PermissionsResponse } from '../auth/permissions.dto';
import { PermissionsService } from '../auth/permissions.service';
import { factsOf } from '../auth/principals.service';
import { SelfService } from '../auth/self.service';
import { SessionsService } from '../auth/sessions.service';
import { MfaChallengeResponse, MfaLoginDto } from '../mfa/mfa.dto';
import { PasswordSessions } from './password-sessions.service';

@ControlRoutes('auth')
export class AuthController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly passwordSessions: PasswordSessions,
    private readonly selves: SelfService,
    private readonly logins: SsoLogins,
    private readonly logouts: SsoLogouts,
    private readonly permissionsOf: PermissionsService,
    private readonly cookies: CookieSessions,
  ) {}

  @Post('login')
  @Public('A login has no credential yet; password attempts are throttled.')
  @OpensSession(MfaChallengeResponse, SsoRedirectResponse)
  async login(
    @Body() body: LoginDto,
    @Req() request: FastifyRequest,
  ): Promise<TokenResponse | MfaChallengeResponse | SsoRedirectResponse> {
    const { password } = body;
    if (password !== undefined && body.sso_client_id === undefined) {
      const { email } = body;
      if (email === undefined) throw invalid('email', 'email is required with password');
      return this.passwordSessions.login({ ...body, email, password }, factsOf(request));
    }
    const begun = await this.logins.begin(body, factsOf(request));
    if (begun === null)
      throw invalid('password', 'password is required: no identity provider is set for this address');
    return begun;
  }

  @Post('login/mfa')
  @Public('The challenge in the body proves the password; attempts with codes are throttled.')
  @OpensSession()
  loginByFactor(@Body() body: MfaLoginDto, @Req() request: FastifyRequest): Promise<TokenResponse> {
    return this.passwordSessions.loginByFactor(body, factsOf(request));
  }

  @Post('refresh')
  @Public('The refresh token in the body is the credential.')
  @ApiOkResponse({ type: TokenResponse })
  refresh(@Body() body: RefreshDto): Promise<TokenResponse> {
    return this.sessions.refresh(body);
  }

  @Post('logout')
  @SessionOnly()
  @ApiOkResponse({ type: LogoutResponse })
  async logout(
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LogoutResponse> {
    await this.sessions.logout(caller);
    if (this.cookies.secretOf(request) !== null) this.cookies.clear(reply);
    return { logout_url: await this.logouts.urlFor(caller) };
  }

  @Get('self')
  @SessionOnly({ tokens: true })
  @ApiOkResponse({ type: SelfResponse })
  self(@Caller() caller: Principal): Promise<SelfResponse> {
    return this.selves.describe(caller);
  }

  @Get('permissions')
  @SessionOnly()
  @ApiOkResponse({ type: PermissionsResponse })
  permissions(@Caller() caller: Principal): Promise<PermissionsResponse> {
    return this.permissionsOf.describe(caller.organisationId, caller.userId ?? '');
  }
}
