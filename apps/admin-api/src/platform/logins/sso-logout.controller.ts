import { EmptyResponse, TextField } from '@gw/web';
import { Body, Header, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiConsumes, ApiOkResponse } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Public } from '../auth/access';
import { factsOf } from '../auth/principals.service';
import { idOf } from '../auth/tenancy';
import { ControlRoutes } from '../control-routes';
import { SsoLogouts } from './sso-logout.service';

export class BackchannelLogoutDto {
  @TextField({
    max: 16_384,
    description: 'A signed logout token of the provider.',
    example: 'eyJhbGciOiJSUzI1NiJ9.e30.c2ln',
  })
  logout_token!: string;
}

/** Paths whose POST accepts an HTML form. */
export const LOGOUT_FORM_PATHS = ['v1', 'v2'].map(
  (version) => `/${version}/auth/oidc/backchannel-logout/:connectionId`,
);

@ControlRoutes('auth')
export class SsoLogoutController {
  constructor(private readonly logouts: SsoLogouts) {}

  /**
   * Endpoint at which identity providers report the end of a session (OpenID Connect Back-Channel
   * Logout).
   */
  @Post('oidc/backchannel-logout/:connectionId')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @Public('The token is signed by the provider and works once.')
  @ApiConsumes('application/x-www-form-urlencoded', 'application/json')
  @ApiOkResponse({ type: EmptyResponse })
  async take(
    @Param('connectionId') connectionId: string,
    @Body() { logout_token: token }: BackchannelLogoutDto,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    await this.logouts.take(idOf(connectionId), token, factsOf(request));
    return {};
  }
}
