import { GatewayError, networkOf } from '@gw/kernel';
import { Body, Controller, Get, Inject, Post, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SETTINGS, type AdminSettings } from '../../settings';
import { pageHeaders } from '../auth/account-pages';
import { Public } from '../auth/access';
import { FailureThrottle } from '../auth/failure-throttle';
import { factsOf } from '../auth/principals.service';
import { codePage, deviceEndPage, devicePage } from './device-pages';
import { DEVICE_PAGE } from './engine-configuration';
import { OauthConsents } from './oauth-consents.service';
import { OauthDevices } from './oauth-devices.service';
import { errorPage, signInPage } from './oauth-pages';
import { PageSessions } from './page-sessions';
import { formText } from '../common/form-text';
import { PageSignIns } from './page-sign-ins';
import { placeAt, PageSso, type PageExchange, type Place } from './page-sso';

/** Paths whose POST accepts an HTML form. */
export const DEVICE_FORM_PATHS = [DEVICE_PAGE];
/**
 * Maximum number of wrong codes from one network per minute. There are 20⁸ codes, and each is valid
 * for ten minutes.
 */
const WRONG_CODES_PER_MINUTE = 30;

/** The page on which users enter the code that a device shows. It works without scripts. */
@ApiExcludeController()
@Controller()
export class DevicePageController {
  private readonly wrongCodes = new FailureThrottle(WRONG_CODES_PER_MINUTE);

  constructor(
    private readonly devices: OauthDevices,
    private readonly consents: OauthConsents,
    private readonly signIns: PageSignIns,
    private readonly sso: PageSso,
    private readonly pages: PageSessions,
    @Inject(SETTINGS)
    private readonly settings: Pick<AdminSettings, 'OAUTH_ENABLED' | 'PUBLIC_URL' | 'DEVICE_FLOW'>,
  ) {}

  @Get(DEVICE_PAGE.slice(1))
  @Public('The page shows what a device asks for only after a sign-in.')
  async page(
    @Query('user_code') userCode: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const at = { request, reply };
    await this.guarded(at, async (form) => {
      const code = typeof userCode === 'string' ? userCode.slice(0, 64) : '';
      if (await this.sso.resume(placeOf(code), at)) return;
      const session = await this.pages.sessionOf(request, reply);
      if (session === null || code === '') await this.send(at, codePage(form, code, null));
      else await this.show(at, code, form);
    });
  }

  @Post(DEVICE_PAGE.slice(1))
  @Public('A sign-in needs the password, an answer the session of the sign-in and the token of its form.')
  async submit(
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const at = { request, reply };
    await this.guarded(at, async (form) => {
      this.pages.assertOpened(request, formText(body, 'form'));
      const code = formText(body, 'user_code');
      if (this.signIns.isSignIn(body)) await this.signIn(at, body, form);
      else if (formText(body, 'step') === 'code') await this.show(at, code, form);
      else await this.decide(at, body, form);
    });
  }

  private async signIn(at: PageExchange, body: unknown, form: string): Promise<void> {
    const code = formText(body, 'user_code');
    const clientName = await this.guessed(at, () => this.devices.clientName(code));
    await this.signIns.take(body, signInFormOf(form, code, clientName), placeOf(code), at);
  }

  /** Shows what the device with a code requests, after the user has signed in. */
  private async show(
    at: PageExchange,
    code: string,
    form: string,
    error: GatewayError | null = null,
  ): Promise<void> {
    const { request, reply } = at;
    const session = await this.pages.sessionOf(request, reply);
    try {
      const html =
        session === null
          ? signInPage(
              signInFormOf(form, code, await this.guessed(at, () => this.devices.clientName(code))),
              error?.message ?? null,
            )
          : devicePage(
              {
                ...(await this.guessed(at, () => this.devices.view(code, session))),
                error: error?.message ?? null,
              },
              form,
            );
      await this.send(at, html, error?.status ?? 200);
    } catch (fault) {
      if (!(fault instanceof GatewayError) || fault.type !== 'validation_failed') throw fault;
      await this.send(at, codePage(form, code, fault.message), fault.status);
    }
  }

  private async decide(at: PageExchange, body: unknown, form: string): Promise<void> {
    const { request, reply } = at;
    const [userCode, csrf] = [formText(body, 'user_code'), formText(body, 'csrf')];
    const session = await this.pages.sessionOf(request, reply);
    if (session === null) {
      await this.show(at, userCode, form);
      return;
    }
    const approved = formText(body, 'step') === 'approve';
    const workspaceId = formText(body, 'workspace_id') || null;
    try {
      const caller = { session, request: factsOf(request) };
      await this.devices.answer(caller, { userCode, csrf, approved, workspaceId });
    } catch (error) {
      if (!(error instanceof GatewayError) || error.status !== 403) throw error;
      await this.show(at, userCode, form, error);
      return;
    }
    await this.consents.endSignIn(session);
    void reply.header('set-cookie', this.pages.cookie(DEVICE_PAGE, null));
    await this.send(at, deviceEndPage(approved));
  }

  /** Looks up a code; counts a wrong code for the network. */
  private async guessed<T>({ request }: PageExchange, run: () => Promise<T>): Promise<T> {
    const network = networkOf(request.clientAddress);
    this.wrongCodes.assertOpen(network);
    try {
      return await run();
    } catch (error) {
      if (error instanceof GatewayError && error.type === 'validation_failed') this.wrongCodes.count(network);
      throw error;
    }
  }

  private async send({ reply }: PageExchange, html: string, status = 200): Promise<void> {
    await reply.status(status).headers(pageHeaders()).send(html);
  }

  private async guarded(at: PageExchange, run: (form: string) => Promise<void>): Promise<void> {
    const { OAUTH_ENABLED: isOn, PUBLIC_URL: publicUrl, DEVICE_FLOW: hasDevices } = this.settings;
    try {
      if (!isOn || publicUrl === null || !hasDevices) throw new GatewayError('route_not_found');
      const { form, cookie } = this.pages.opened(at.request, DEVICE_PAGE);
      if (cookie !== null) void at.reply.header('set-cookie', cookie);
      await run(form);
    } catch (error) {
      if (!(error instanceof GatewayError) || error.status >= 500) throw error;
      await this.send(at, errorPage(error.message), error.status);
    }
  }
}

const placeOf = (userCode: string): Place => placeAt(DEVICE_PAGE, 'user_code', userCode);

const signInFormOf = (form: string, userCode: string, clientName: string) => ({
  fields: { form, user_code: userCode },
  clientName,
});
