import { GatewayError } from '@gw/kernel';
import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../platform/auth/access';
import type { RequestFacts } from '../../platform/common/principal';
import { factsOf } from '../../platform/auth/principals.service';
import { InviteAcceptanceService } from './invite-acceptance.service';
import { invitePage, messagePage, PAGE_POLICY, resetPage } from '../../platform/auth/account-pages';
import { PasswordsService } from './passwords.service';

/** Paths that take a form, for the adapter. */
export const FORM_PATHS = ['/invite/:token', '/reset/:token'];

const textOf = (body: unknown, name: string): string => {
  const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
  return typeof value === 'string' ? value.slice(0, 1_024) : '';
};

/** The path holds the token, which no record must hold. */
const factsWithoutToken = (request: FastifyRequest): RequestFacts => {
  const facts = factsOf(request);
  return { ...facts, uri: facts.uri.slice(0, facts.uri.lastIndexOf('/')) };
};

function send(reply: FastifyReply, status: number, html: string): void {
  void reply
    .status(status)
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', PAGE_POLICY)
    .header('referrer-policy', 'no-referrer')
    .header('cache-control', 'no-store')
    .send(html);
}

/** What the links of mails open: plain forms without script, for installations without a console too. */
@ApiExcludeController()
@Controller()
export class AccountPagesController {
  constructor(
    private readonly acceptance: InviteAcceptanceService,
    private readonly passwords: PasswordsService,
  ) {}

  @Get('invite/:token')
  @Public('The token in the path is the credential; reading the page uses up nothing.')
  invite(@Param('token') token: string, @Res() reply: FastifyReply): Promise<void> {
    return this.showInvite(token, reply, 200, null);
  }

  @Post('invite/:token')
  @Public('The token in the path is the credential, and works once.')
  async accept(
    @Param('token') token: string,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const [first, last] = [textOf(body, 'first_name'), textOf(body, 'last_name')];
    const input = {
      token,
      password: textOf(body, 'password'),
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
  @Public('The token in the path is the credential; reading the page uses up nothing.')
  reset(@Param('token') token: string, @Res() reply: FastifyReply): Promise<void> {
    return this.showReset(token, reply, 200, null);
  }

  @Post('reset/:token')
  @Public('The token in the path is the credential, and works once.')
  async setPassword(
    @Param('token') token: string,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    try {
      await this.passwords.reset({ token, password: textOf(body, 'password') }, factsWithoutToken(request));
      send(reply, 200, messagePage('Done', 'The new password counts from now on. Log in with it.'));
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

/** What a person may read of a failure. Throws what is no failure of theirs. */
function shown(error: unknown): { readonly status: number; readonly message: string } {
  if (!(error instanceof GatewayError)) throw error;
  return { status: error.status, message: error.options.details?.[0]?.message ?? error.message };
}

function sendEnded(reply: FastifyReply, error: unknown): void {
  const { status, message } = shown(error);
  send(reply, status, messagePage('This link does not work', message));
}
