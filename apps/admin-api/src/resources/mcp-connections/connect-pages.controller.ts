import { SessionEntity, McpIntegrationEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { Public } from '../../platform/auth/access';
import { pageHeaders } from '../../platform/auth/account-pages';
import { factsOf } from '../../platform/auth/principals.service';
import type { AuthenticatedSession } from '../../platform/auth/session.strategy';
import { found, idOf } from '../../platform/auth/tenancy';
import { formText } from '../../platform/common/form-text';
import { continuePage, errorPage, signInPage, type SignInForm } from '../../platform/oauth/oauth-pages';
import { PageSessions } from '../../platform/oauth/page-sessions';
import { PageSignIns } from '../../platform/oauth/page-sign-ins';
import { placeAt, PageSso, type PageExchange } from '../../platform/oauth/page-sso';
import { ConnectBrowser } from './connect-browser';
import { ConnectFlows } from './connect-flows.service';
import { connectedPage, connectPage } from './connect-pages';
import { CALLBACK_PATH, CLIENT_DOCUMENT_PATH, CONNECT_PAGE, pagePath } from './connect-urls';
import { UpstreamClients } from './upstream-clients';

/** Paths whose POST accepts an HTML form. */
export const CONNECT_FORM_PATHS = [CONNECT_PAGE];
const TICKET_MAX = 64;

/** A page of one link that a browser has opened. */
interface OpenPage extends PageExchange {
  readonly serverId: string;
  readonly ticket: string;
  /** Hidden value that binds the page's forms to the browser. */
  readonly form: string;
}

/** Pages on which users connect to upstream MCP servers. They work without scripts. */
@ApiExcludeController()
@Controller()
export class ConnectPagesController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly flows: ConnectFlows,
    private readonly clients: UpstreamClients,
    private readonly browsers: ConnectBrowser,
    private readonly signIns: PageSignIns,
    private readonly sso: PageSso,
    private readonly pages: PageSessions,
  ) {}

  @Get(CONNECT_PAGE.slice(1))
  @Public('The page shows nothing of a link before a sign-in, and only to the user of the link.')
  async page(
    @Param('serverId') serverId: string,
    @Query('t') ticket: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.guarded({ request, reply }, serverId, ticket, async (open) => {
      if (!(await this.sso.resume(placeOf(open), open))) await this.show(open);
    });
  }

  @Post(CONNECT_PAGE.slice(1))
  @Public(
    'A sign-in needs the password, and a connection the session of the sign-in and a form of the browser.',
  )
  async submit(
    @Param('serverId') serverId: string,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.guarded({ request, reply }, serverId, formText(body, 't'), async (open) => {
      this.pages.assertOpened(request, formText(body, 'form'));
      if (this.signIns.isSignIn(body)) await this.signIns.take(body, signInFormOf(open), placeOf(open), open);
      else await this.connect(open);
    });
  }

  @Get(CALLBACK_PATH.slice(1))
  @Public('It needs the state of a sign-in and the cookie of the browser that began it.')
  async callback(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await asPage({ request, reply }, async () => {
      const query = request.query as Readonly<Record<string, unknown>>;
      const name = await this.flows.finish(query, this.browsers.of(request), factsOf(request));
      await reply.headers(pageHeaders()).send(connectedPage(name));
    });
  }

  /**
   * Returns the document that describes the client of an integration to authorization servers
   * (Client ID Metadata Documents).
   */
  @Get(CLIENT_DOCUMENT_PATH.slice(1))
  @Public('The document has the public address of this installation only.')
  async client(@Param('document') document: string): Promise<object> {
    const id = idOf(/^(.{36})\.json$/.exec(document)?.[1] ?? '');
    const where = { id, status: 'active', authType: 'oauth_auto' } as const;
    found(await this.dataSource.manager.findOne(McpIntegrationEntity, { where, select: { id: true } }));
    return this.clients.documentOf(id);
  }

  private async show(open: OpenPage): Promise<void> {
    const { reply, request, serverId, ticket, form } = open;
    const session = await this.pages.sessionOf(request, reply);
    if (session === null) {
      await reply.headers(pageHeaders()).send(signInPage(signInFormOf(open), null));
      return;
    }
    const view = await this.orSignedOut(open, session, () =>
      this.flows.view({ serverId, ticket, userId: session.userId, request: factsOf(request) }),
    );
    await reply.headers(pageHeaders()).send(connectPage({ ...view, fields: { form, t: ticket } }));
  }

  /** Sends the browser to the authorization server and ends the sign-in on the page. */
  private async connect(open: OpenPage): Promise<void> {
    const { reply, request, serverId, ticket } = open;
    const session = await this.pages.sessionOf(request, reply);
    if (session === null) {
      await this.show(open);
      return;
    }
    const browser = this.browsers.bind(request, reply);
    const url = await this.orSignedOut(open, session, () =>
      this.flows.begin({ serverId, ticket, userId: session.userId, request: factsOf(request) }, browser),
    );
    await this.signOut(open, session);
    await reply.headers(pageHeaders()).send(continuePage(url));
  }

  /**
   * Runs `run` and ends the sign-in when it is refused, so that the user can sign in as another
   * one.
   */
  private async orSignedOut<T>(
    open: OpenPage,
    session: AuthenticatedSession,
    run: () => Promise<T>,
  ): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (error instanceof GatewayError && error.status === 403) await this.signOut(open, session);
      throw error;
    }
  }

  private async signOut({ reply, serverId }: OpenPage, { id }: AuthenticatedSession): Promise<void> {
    await this.dataSource.manager.update(SessionEntity, { id }, { revokedAt: new Date() });
    void reply.header('set-cookie', this.pages.cookie(pagePath(serverId), null));
  }

  private async guarded(
    at: PageExchange,
    server: string,
    ticket: unknown,
    run: (open: OpenPage) => Promise<void>,
  ): Promise<void> {
    await asPage(at, async () => {
      const serverId = idOf(server);
      const text = typeof ticket === 'string' ? ticket.slice(0, TICKET_MAX) : '';
      await this.flows.assertUsable(serverId, text);
      const { form, cookie } = this.pages.opened(at.request, pagePath(serverId));
      if (cookie !== null) void at.reply.header('set-cookie', cookie);
      await run({ ...at, serverId, ticket: text, form });
    });
  }
}

/** Runs `run` and responds to refusals with a page. */
async function asPage({ reply }: PageExchange, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof GatewayError) || error.status >= 500) throw error;
    await reply.status(error.status).headers(pageHeaders()).send(errorPage(error.message));
  }
}

const placeOf = ({ serverId, ticket }: OpenPage) => placeAt(pagePath(serverId), 't', ticket);

const signInFormOf = ({ form, ticket }: OpenPage): SignInForm => ({
  fields: { form, t: ticket },
  clientName: '',
  text: 'Sign in to connect your account to an MCP server.',
});
