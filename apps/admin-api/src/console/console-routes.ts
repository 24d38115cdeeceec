import fastifyStatic from '@fastify/static';
import { GatewayError } from '@gw/kernel';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { wantsPage } from '../platform/auth/account-pages';
import { consolePath } from '../platform/common/console-url';
import { clientGatewayUrl } from '../platform/common/public-url';
import { SETTINGS, type AdminSettings } from '../settings';
import { ConsolePage } from './console-page';

/** Folder `dist/console`, relative to this file in a build. */
const BUILT = join(__dirname, '../../../../../console');
const YEAR_SECONDS = 31_536_000;
const NOT_BUILT =
  'The console is not built. Build it with `npm run build`, or switch it off with CONSOLE_ENABLED=OFF. The API is not affected.';

/**
 * Serves the console: files without any data, which may be public. These are plain routes of the
 * HTTP server, since every address below the console's path is the same page.
 */
@Injectable()
export class ConsoleRoutes {
  private readonly path: string;
  private readonly folder: string;
  private readonly page: ConsolePage;

  constructor(@Inject(SETTINGS) private readonly settings: AdminSettings) {
    this.path = consolePath(settings);
    this.folder = settings.CONSOLE_DIR ?? BUILT;
    this.page = new ConsolePage(this.folder, this.path, clientGatewayUrl(settings));
  }

  /** Adds the routes to the server. Call it before the server is ready. */
  register(server: FastifyInstance): void {
    if (!this.settings.CONSOLE_ENABLED) return;
    server.addHook('onRequest', (request, reply) => this.redirectBrowsers(request, reply));
    void server.register((scope, _options, done) => {
      this.addTo(scope);
      done();
    });
  }

  /** Redirects a browser at the root path of this origin to the console. */
  private async redirectBrowsers(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (request.method !== 'GET' || request.url !== '/' || !wantsPage(request)) return;
    if ((await this.page.serve()) === null) return;
    await reply.header('vary', 'accept').redirect(`${this.path}/`, 302);
  }

  private addTo(scope: FastifyInstance): void {
    const assets = join(this.folder, 'assets');
    if (existsSync(assets))
      void scope.register(fastifyStatic, {
        root: assets,
        prefix: `${this.path}/assets/`,
        decorateReply: false,
        index: false,
        redirect: false,
        preCompressed: true,
        immutable: true,
        maxAge: YEAR_SECONDS * 1_000,
        allowedPath: (path) => !path.endsWith('.map'),
        // File names contain a hash of the content.
        setHeaders: (response) =>
          void response.header('cache-control', `public, max-age=${String(YEAR_SECONDS)}, immutable`),
      });
    scope.get(this.path, (_request, reply) => reply.redirect(`${this.path}/`, 302));
    scope.get(`${this.path}/*`, (request, reply) => this.servePage(request, reply));
  }

  private async servePage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const page = await this.page.serve(request.url);
    if (page === null) throw new GatewayError('not_found', { message: NOT_BUILT });
    // The file belongs to another release; the page must reload itself.
    if (request.url.startsWith(`${this.path}/assets/`)) throw new GatewayError('not_found');
    return reply
      .type('text/html; charset=utf-8')
      .headers({ 'content-security-policy': page.policy, 'cache-control': 'no-store' })
      .send(page.html);
  }
}
