import { invalid } from '@gw/web';
import { Body, Get, Post, Req } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
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
  ) {}

  @Post('login')
  @Public('A login has no credential yet; password attempts are throttled.')
  @ApiExtraModels(TokenResponse, MfaChallengeResponse, SsoRedirectResponse)
  @ApiOkResponse({
    schema: {
      oneOf: [TokenResponse, MfaChallengeResponse, SsoRedirectResponse].map((type) => ({
        $ref: getSchemaPath(type),
      })),
    },
  })
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
  @ApiOkResponse({ type: TokenResponse })
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
  async logout(@Caller() caller: Principal): Promise<LogoutResponse> {
    await this.sessions.logout(caller);
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
