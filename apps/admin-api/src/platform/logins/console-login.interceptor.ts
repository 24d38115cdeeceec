import { isObject } from '@gw/kernel';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { mergeMap, of, type Observable } from 'rxjs';
import type { SelfResponse } from '../auth/auth.dto';
import { CookieSessions, isOfConsole } from '../auth/cookie-sessions.service';
import { PrincipalsService } from '../auth/principals.service';
import { SelfService } from '../auth/self.service';

/**
 * When a console logs in, puts the session into a cookie and responds with the user, so that
 * scripts never see a token.
 */
@Injectable()
export class ConsoleLoginInterceptor implements NestInterceptor {
  constructor(
    private readonly sessions: CookieSessions,
    private readonly principals: PrincipalsService,
    private readonly selves: SelfService,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    if (!isOfConsole(request)) return next.handle();
    return next.handle().pipe(
      mergeMap((response: unknown) => {
        const token =
          isObject(response) && response['object'] === 'session' ? response['refresh_token'] : null;
        return typeof token === 'string' ? this.adopt(token, request, http.getResponse()) : of(response);
      }),
    );
  }

  private async adopt(token: string, request: FastifyRequest, reply: FastifyReply): Promise<SelfResponse> {
    const session = await this.sessions.adopt(token, reply);
    return this.selves.describe(await this.principals.ofSession(session, request));
  }
}
