import { GatewayError } from '@gw/kernel';
import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { formText } from '../../platform/common/form-text';
import { Public } from '../../platform/auth/access';
import type { RequestFacts } from '../../platform/common/principal';
import { factsOf } from '../../platform/auth/principals.service';
import { InviteAcceptanceService } from './invite-acceptance.service';
import { invitePage, messagePage, pageHeaders, resetPage } from '../../platform/auth/account-pages';
import { PasswordsService } from './passwords.service';

/** Paths whose POST accepts an HTML form; the HTTP adapter parses forms only there. */
export const FORM_PATHS = ['/invite/:token', '/reset/:token'];

/**
 * Returns the facts of the request without the token in its path, because the audit log must not
 * store the token.
 */
const factsWithoutToken = (request: FastifyRequest): RequestFacts => {
  const facts = factsOf(request);
  return { ...facts, uri: facts.uri.slice(0, facts.uri.lastIndexOf('/')) };
};

function send(reply: FastifyReply, status: number, html: string): void {
  void reply.status(status).headers(pageHeaders()).send(html);
}

/**
 * HTML pages to which links in mails lead: plain forms without scripts, so that they also work
 * without a console.
 */
@ApiExcludeController()
@Controller()
export class AccountPagesController {
  constructor(
    private readonly acceptance: InviteAcceptanceService,
    private readonly passwords: PasswordsService,
  ) {}

  @Get('invite/:token')
  @Public('The token in the path is the credential; opening the page does not use it up.')
  invite(@Param('token') token: string, @Res() reply: FastifyReply): Promise<void> {
    return this.showInvite(token, reply, 200, null);
  }

  @Post('invite/:token')
  @Public('The token in the path is the credential. It works once.')
  async accept(
    @Param('token') token: string,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const [first, last] = [formText(body, 'first_name'), formText(body, 'last_name')];
    const input = {
      token,
      password: formText(body, 'password'),
      ...(first === '' ? {} : { first_name: first.slice(0, 255) }),
      ...(last === '' ? {} : { last_name: last.slice(0, 255) }),
    };
    try {
      const { email } = await this.acceptance.accept(input, factsWithoutToken(request));
      send(reply, 200, messagePage('Welcome', `You can now log in as ${email}.`));
    } catch (error) {
      const { status, message } = shown(error);
      await this.showInvite(token, reply, status, message);
    }
  }

  @Get('reset/:token')
  @Public('The token in the path is the credential; opening the page does not use it up.')
  reset(@Param('token') token: string, @Res() reply: FastifyReply): Promise<void> {
    return this.showReset(token, reply, 200, null);
  }

  @Post('reset/:token')
  @Public('The token in the path is the credential. It works once.')
  async setPassword(
    @Param('token') token: string,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    try {
      await this.passwords.reset({ token, password: formText(body, 'password') }, factsWithoutToken(request));
      send(reply, 200, messagePage('Done', 'Your password is changed. You can now log in with it.'));
    } catch (error) {
      const { status, message } = shown(error);
      await this.showReset(token, reply, status, message);
    }
  }

  private async showInvite(
    token: string,
    reply: FastifyReply,
    status: number,
    error: string | null,
  ): Promise<void> {
    try {
      send(reply, status, invitePage({ ...(await this.acceptance.describe(token)), error }));
    } catch (cause) {
      sendEnded(reply, cause);
    }
  }

  private async showReset(
    token: string,
    reply: FastifyReply,
    status: number,
    error: string | null,
  ): Promise<void> {
    try {
      await this.passwords.assertLink(token);
      send(reply, status, resetPage(error));
    } catch (cause) {
      sendEnded(reply, cause);
    }
  }
}

/**
 * Returns the status and message to show to the user. Rethrows any error that is not a
 * `GatewayError`.
 */
function shown(error: unknown): { readonly status: number; readonly message: string } {
  if (!(error instanceof GatewayError)) throw error;
  return { status: error.status, message: error.options.details?.[0]?.message ?? error.message };
}

function sendEnded(reply: FastifyReply, error: unknown): void {
  const { status, message } = shown(error);
  send(reply, status, messagePage('This link does not work', message));
}
