import { invalid } from '@gw/web';
import { Body, Get, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiQuery } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ControlRoutes } from '../control-routes';
import { Public, SessionOnly } from '../auth/access';
import {
  ChangeOrganisationDto,
  LoginDto,
  LogoutResponse,
  RefreshDto,
  SelfResponse,
  SsoRedirectResponse,
  TokenResponse,
} from '../auth/auth.dto';
import { AccessGate } from '../auth/access.gate';
import { CookieSessions, sessionEnded, isOfConsole } from '../auth/cookie-sessions.service';
import { OrganisationChanges } from './organisation-changes.service';
import { OpensSession } from './opens-session';
import { SsoLogins } from './sso-login.service';
import { SsoLogouts } from './sso-logout.service';
import { WORKSPACE_ID } from '../common/workspace-query';
import { Caller, type Principal } from '../common/principal';
import { OwnPermissionsResponse } from '../auth/permissions.dto';
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
    private readonly changes: OrganisationChanges,
    private readonly gate: AccessGate,
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
    const started = await this.logins.begin(body, factsOf(request), { isOfConsole: isOfConsole(request) });
    if (started === null)
      throw invalid('password', 'password is required: no identity provider is set for this address');
    return started;
  }

  @Post('login/mfa')
  @Public('The challenge in the body proves the password; attempts with codes are throttled.')
  @OpensSession()
  loginByFactor(@Body() body: MfaLoginDto, @Req() request: FastifyRequest): Promise<TokenResponse> {
    return this.passwordSessions.loginByFactor(body, factsOf(request));
  }

  /** Returns new tokens for a refresh token. A console, which sends none, gets a new cookie. */
  @Post('refresh')
  @Public('The refresh token in the body, or the cookie of a console, is the credential.')
  @OpensSession()
  async refresh(
    @Body() { refresh_token: token }: RefreshDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TokenResponse | SelfResponse> {
    if (token !== undefined && !isOfConsole(request)) return this.sessions.refresh(token);
    if (token !== undefined)
      throw invalid('refresh_token', 'refresh_token must be absent in requests of a console');
    if (!isOfConsole(request)) throw invalid('refresh_token', 'refresh_token is required');
    const caller = await this.gate.visitorOf(request, reply);
    if (caller === null || this.cookies.secretOf(request) === null) throw sessionEnded();
    await this.cookies.refresh(request, reply);
    return this.selves.describe(caller);
  }

  /**
   * Changes the organisation of the session. The response contains a new session; the previous one
   * has ended.
   */
  @Post('organisation')
  @SessionOnly()
  @OpensSession(MfaChallengeResponse)
  changeOrganisation(
    @Caller() caller: Principal,
    @Body() { organisation_id: organisationId }: ChangeOrganisationDto,
  ): Promise<TokenResponse | MfaChallengeResponse> {
    return this.changes.change(caller, organisationId);
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
  @ApiQuery({ ...WORKSPACE_ID, description: 'Id or slug of a workspace to explain.' })
  @ApiOkResponse({ type: OwnPermissionsResponse })
  permissions(
    @Caller() caller: Principal,
    @Query('workspace_id') named: string | undefined,
  ): Promise<OwnPermissionsResponse> {
    return this.permissionsOf.describeOwn(caller, named !== undefined && named !== '');
  }
}
