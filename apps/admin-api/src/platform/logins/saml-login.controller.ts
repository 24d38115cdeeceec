import { SsoConnectionEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { Body, Get, Header, Inject, Param, Post, Req, Res } from '@nestjs/common';
import {
  ApiConsumes,
  ApiExcludeEndpoint,
  ApiExtraModels,
  ApiOkResponse,
  ApiResponse,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { SETTINGS } from '../../settings';
import { Public } from '../auth/access';
import { SamlCodeResponse } from '../auth/auth.dto';
import { factsOf } from '../auth/principals.service';
import { idOf } from '../auth/tenancy';
import { SAML_BODY, TakesBody } from '../bodies';
import { formText } from '../common/form-text';
import { ControlRoutes } from '../control-routes';
import { endOfLogin, type LoginEndSettings } from './login-ends';
import { orRefusalPage } from './refusal-pages';
import { SamlProviders } from './saml-providers.service';
import { SsoTestResponse } from './sso-tests.dto';
import { SamlReturns } from './saml-returns.service';

/** Paths that accept forms, because identity providers make browsers post them. */
export const SAML_FORM_PATHS = ['/v1', '/v2'].map(
  (version) => `${version}/auth/saml/callback/:organisationId`,
);

@ControlRoutes('auth/saml')
export class SamlLoginController {
  constructor(
    private readonly returns: SamlReturns,
    private readonly providers: SamlProviders,
    private readonly dataSource: DataSource,
    @Inject(SETTINGS) private readonly settings: LoginEndSettings,
  ) {}

  /**
   * The assertion consumer service, to which SAML identity providers return users. With a console,
   * redirects the browser to it.
   */
  @Post('callback/:organisationId')
  @Public('The response is signed by the identity provider, and works once.')
  @TakesBody(SAML_BODY)
  @ApiConsumes('application/x-www-form-urlencoded')
  @ApiExtraModels(SamlCodeResponse, SsoTestResponse)
  @ApiOkResponse({
    schema: { oneOf: [SamlCodeResponse, SsoTestResponse].map((type) => ({ $ref: getSchemaPath(type) })) },
  })
  @ApiResponse({
    status: 303,
    description: 'Redirects to the console, with the code and return_path in the query.',
  })
  async callback(
    @Param('organisationId') organisationId: string,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SamlCodeResponse | SsoTestResponse | undefined> {
    const sent = {
      organisationId: idOf(organisationId),
      response: formText(body, 'SAMLResponse', SAML_BODY.bytes),
      relayState: formText(body, 'RelayState'),
    };
    return orRefusalPage(request, reply, async () => {
      const finished = await this.returns.finish(sent, factsOf(request));
      if ('object' in finished) return finished;
      const { code, binding } = finished;
      const end = endOfLogin(finished, this.settings);
      if (end === null) return { code, login_binding: binding, object: 'sso-code' };
      await reply.redirect(end, 303);
      return undefined;
    });
  }

  /**
   * Returns the SAML metadata of the admin API for the identity provider of a connection; the
   * address of the metadata is the entity id.
   */
  @Get('metadata/:connectionId')
  @Public('Addresses and public keys, for identity providers.')
  @Header('content-type', 'application/samlmetadata+xml')
  @ApiExcludeEndpoint()
  async metadata(@Param('connectionId') connectionId: string): Promise<string> {
    const where = { id: idOf(connectionId), type: 'saml' as const };
    const connection = await this.dataSource.manager.findOneBy(SsoConnectionEntity, where);
    if (connection === null) throw new GatewayError('not_found');
    return this.providers.metadataOf(connection);
  }
}
