import { GatewayError } from '@gw/kernel';
import { BooleanField, TextField, invalid } from '@gw/web';
import { Body, Controller, Get, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pageHeaders } from '../auth/account-pages';
import { Public, SessionOnly } from '../auth/access';
import { factsOf } from '../auth/principals.service';
import type { AuthenticatedSession } from '../auth/session.strategy';
import { SETTINGS, type AdminSettings } from '../../settings';
import type { ConsentCaller } from './consent-decisions';
import { OauthConsents } from './oauth-consents.service';
import { consentPage, continuePage, errorPage, signInPage, type SignInForm } from './oauth-pages';
import { PageSessions } from './page-sessions';
import { formText } from '../common/form-text';
import { PageSignIns } from './page-sign-ins';
import { placeAt, PageSso, type Place } from './page-sso';

/** Paths whose POST accepts an HTML form. */
const CONSENT_PAGE = '/oauth/consent';
export const CONSENT_FORM_PATHS = [CONSENT_PAGE];

const versioned = (path: string): string[] => [`oauth/${path}`, `v2/oauth/${path}`];

export class ConsentDto {
  @TextField({ max: 128, description: 'The resume_state of the consent page.', example: 'kQ3…' })
  resume_state!: string;
  @TextField({ max: 128, description: 'The csrf value of the interaction.', example: '8Yz…' }) csrf!: string;
  @BooleanField({ description: 'Whether the user allows the request.' }) approved!: boolean;
  @TextField({
    optional: true,
    max: 64,
    description: "Organisation of the grant. Must be the session's organisation.",
  })
  organisation_id?: string;
  @TextField({
    optional: true,
    max: 64,
    description: 'Workspace of the grant. Absent for the whole organisation.',
  })
  workspace_id?: string;
}

const placeOf = (resumeState: string): Place => placeAt(CONSENT_PAGE, 'resume_state', resumeState);

const signInFormOf = (resumeState: string, clientName: string): SignInForm => ({
  fields: { resume_state: resumeState },
  clientName,
});

/**
 * Routes with which users decide the requests of clients: a page without scripts, and an API for
 * the console.
 */
@ApiExcludeController()
@Controller()
export class OauthConsentController {
  constructor(
    private readonly consents: OauthConsents,
    private readonly signIns: PageSignIns,
    private readonly sso: PageSso,
    private readonly pages: PageSessions,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'OAUTH_ENABLED' | 'PUBLIC_URL'>,
  ) {}

  @Get('oauth/consent')
  @Public('The page shows nothing before a sign-in, and works only in the browser that began the request.')
  async page(
    @Query('resume_state') resumeState: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const state = resumeState ?? '';
    await this.guarded(reply, async () => {
      this.pages.assertSameBrowser(request, state);
      if (!(await this.sso.resume(placeOf(state), { request, reply })))
        await this.show(state, request, reply, 200, null);
    });
  }

  @Post('oauth/consent')
  @Public('A sign-in needs the password, an answer the session of the sign-in and the token of its form.')
  async submit(
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const resumeState = formText(body, 'resume_state');
    await this.guarded(reply, async () => {
      if (this.signIns.isSignIn(body)) await this.signIn(resumeState, body, request, reply);
      else await this.decide(resumeState, formText(body, 'step') === 'approve', body, request, reply);
    });
  }

  @Get(versioned('interactions/:uid'))
  @SessionOnly()
  async interaction(@Param('uid') uid: string, @Req() request: FastifyRequest): Promise<object> {
    this.assertOn();
    const view = await this.consents.view(uid, consentCallerOf(request));
    const { clientName: name, clientKind: kind, clientHost: host, redirect, workspaces, csrf, email } = view;
    return {
      client: { name, kind, host },
      redirect: { host: redirect.host, loopback: redirect.isLoopback },
      resource: { name: view.resourceName },
      scopes: view.scopes.map((scope) => ({ name: scope })),
      workspaces,
      user: { email },
      csrf,
    };
  }

  @Post([...versioned('postAuthorizeConsent'), ...versioned('authorize')])
  @SessionOnly()
  async consent(
    @Body() body: ConsentDto,
    @Req() request: FastifyRequest,
  ): Promise<{ readonly redirect_uri: string }> {
    this.assertOn();
    const caller = consentCallerOf(request);
    const { organisation_id: organisationId } = body;
    if (organisationId !== undefined && organisationId.toLowerCase() !== caller.session.organisationId)
      throw invalid('organisation_id', 'organisation_id must be the organisation of the session');
    return this.consents.answer(caller, {
      resumeState: body.resume_state,
      csrf: body.csrf,
      approved: body.approved,
      workspaceId: body.workspace_id ?? null,
    });
  }

  private async signIn(
    resumeState: string,
    body: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    // Only the browser that began the request may sign in for it.
    this.pages.assertSameBrowser(request, resumeState);
    const form = signInFormOf(resumeState, await this.consents.clientName(resumeState));
    await this.signIns.take(body, form, placeOf(resumeState), { request, reply });
  }

  private async decide(
    resumeState: string,
    approved: boolean,
    body: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    this.pages.assertSameBrowser(request, resumeState);
    const session = await this.pages.sessionOf(request, reply);
    if (session === null) {
      await this.show(resumeState, request, reply, 401, 'Sign in again.');
      return;
    }
    const workspaceId = formText(body, 'workspace_id') || null;
    const answer = { resumeState, csrf: formText(body, 'csrf'), approved, workspaceId };
    try {
      const { redirect_uri: url } = await this.consents.answer(
        { session, request: factsOf(request) },
        answer,
      );
      await this.endSignInAndRedirect(session, reply, url);
    } catch (error) {
      if (!(error instanceof GatewayError) || error.status !== 403) throw error;
      await this.show(resumeState, request, reply, 403, error.message);
    }
  }

  /** Ends the sign-in and sends the browser to the next page. */
  private async endSignInAndRedirect(
    session: AuthenticatedSession,
    reply: FastifyReply,
    url: string,
  ): Promise<void> {
    await this.consents.endSignIn(session);
    await reply
      .headers(pageHeaders())
      .header('set-cookie', this.pages.cookie(CONSENT_PAGE, null))
      .send(continuePage(url));
  }

  private async show(
    resumeState: string,
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    error: string | null,
  ): Promise<void> {
    const clientName = await this.consents.clientName(resumeState);
    const session = await this.pages.sessionOf(request, reply);
    void reply.status(status).headers(pageHeaders());
    if (session === null) {
      await reply.send(signInPage(signInFormOf(resumeState, clientName), error));
      return;
    }
    const caller = { session, request: factsOf(request) };
    const known = error === null ? await this.consents.answerAsBefore(caller, resumeState) : null;
    if (known !== null) await this.endSignInAndRedirect(session, reply, known.redirect_uri);
    else await reply.send(consentPage({ ...(await this.consents.view(resumeState, caller)), error }));
  }

  private get isOn(): boolean {
    return this.settings.OAUTH_ENABLED && this.settings.PUBLIC_URL !== null;
  }

  /** Throws `feature_disabled` without an OAuth server. */
  private assertOn(): void {
    if (!this.isOn) throw new GatewayError('feature_disabled');
  }

  private async guarded(reply: FastifyReply, run: () => Promise<void>): Promise<void> {
    try {
      if (!this.isOn) throw new GatewayError('route_not_found');
      await run();
    } catch (error) {
      if (!(error instanceof GatewayError) || error.status >= 500) throw error;
      await reply.status(error.status).headers(pageHeaders()).send(errorPage(error.message));
    }
  }
}

/** Returns the session that the access gate has admitted. */
function consentCallerOf(request: FastifyRequest): ConsentCaller {
  const { identity } = request;
  if (identity?.kind !== 'session') throw new GatewayError('unauthenticated');
  const session: AuthenticatedSession = identity.session;
  return { session, request: factsOf(request) };
}
