import type { OutgoingMessage } from '@gw/federation';
import { invalid } from '@gw/web';
import { Body, Get, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { ApiConsumes, ApiExcludeEndpoint } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SETTINGS, type AdminSettings } from '../../settings';
import { Public } from '../auth/access';
import { messagePage, pageHeaders, postingPage } from '../auth/account-pages';
import { factsOf } from '../auth/principals.service';
import { idOf } from '../auth/tenancy';
import { SAML_BODY, TakesBody } from '../bodies';
import { formText } from '../common/form-text';
import { ControlRoutes } from '../control-routes';
import { orRefusalPage } from './refusal-pages';
import { SamlLogouts, type SentLogout } from './saml-logouts.service';

/** Maximum length of a RelayState that is returned to the provider, in characters. */
const RELAY_STATE_MAX = 1_024;

/** Paths whose POST accepts a form. */
export const SAML_LOGOUT_FORM_PATHS = ['/v1', '/v2'].map(
  (version) => `${version}/auth/saml/slo/:organisationId`,
);

/**
 * The single logout service: browsers deliver logout requests of identity providers, and the
 * providers' responses to logout requests of the admin API.
 */
@ControlRoutes('auth/saml')
export class SamlLogoutController {
  constructor(
    private readonly logouts: SamlLogouts,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'CONSOLE_URL'>,
  ) {}

  @Get('slo/:organisationId')
  @Public('The request is signed by the identity provider, and works once.')
  @ApiExcludeEndpoint()
  async redirected(
    @Param('organisationId') organisationId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const query = request.url.split('?')[1] ?? '';
    const parameters = new URLSearchParams(query);
    const isRequest = parameters.has('SAMLRequest');
    if (!isRequest && !parameters.has('SAMLResponse')) throw missing();
    const relayState = parameters.get('RelayState');
    const sent = { organisationId: idOf(organisationId), received: { query }, relayState };
    await this.answer(isRequest ? sent : null, request, reply);
  }

  @Post('slo/:organisationId')
  @Public('The request is signed by the identity provider, and works once.')
  @TakesBody(SAML_BODY)
  @ApiConsumes('application/x-www-form-urlencoded')
  @ApiExcludeEndpoint()
  async posted(
    @Param('organisationId') organisationId: string,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const base64 = formText(body, 'SAMLRequest', SAML_BODY.bytes);
    if (base64 === '' && formText(body, 'SAMLResponse', SAML_BODY.bytes) === '') throw missing();
    const relayState = formText(body, 'RelayState', RELAY_STATE_MAX + 1) || null;
    const sent = { organisationId: idOf(organisationId), received: { base64 }, relayState };
    await this.answer(base64 === '' ? null : sent, request, reply);
  }

  /**
   * Handles a logout request of a provider. When `sent` is null, the browser delivers a provider's
   * response; the session here ended before the request was sent, so the response is not read.
   */
  private async answer(sent: SentLogout | null, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if ((sent?.relayState ?? '').length > RELAY_STATE_MAX) {
      throw invalid('RelayState', `RelayState must have at most ${String(RELAY_STATE_MAX)} characters`);
    }
    const step = async (): Promise<void> => {
      const answer = sent === null ? null : await this.logouts.take(sent, factsOf(request));
      await (answer === null ? this.end(reply) : redirectToProvider(answer, reply));
    };
    await orRefusalPage(request, reply, step, 'You may still be logged in');
  }

  private async end(reply: FastifyReply): Promise<void> {
    const { CONSOLE_URL: console } = this.settings;
    if (console !== null) return reply.redirect(console, 303);
    const page = messagePage('You are logged out', 'You can close this page.');
    await reply.headers(pageHeaders()).send(page);
  }
}

/** Sends the browser to the provider with the response of the admin API. */
async function redirectToProvider({ url, fields }: OutgoingMessage, reply: FastifyReply): Promise<void> {
  if (fields === null) return reply.redirect(url, 303);
  const page = postingPage('You are logged out', { url, fields, text: 'Go on at your identity provider.' });
  await reply.headers(pageHeaders(url)).send(page);
}

const missing = (): Error => invalid('SAMLRequest', 'SAMLRequest or SAMLResponse is required');
