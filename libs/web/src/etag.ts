import { GatewayError } from '@gw/kernel';
import {
  createParamDecorator,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';

/** The strong entity tag of a row's version: `"7"` with its quotes, as the header carries it. */
export const etagOf = (row: { readonly version: number }): string => `"${String(row.version)}"`;

/** The `If-Match` header, or undefined. Pass it to `assertMatches` inside the transaction that locked the row. */
export const IfMatch = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  return context.switchToHttp().getRequest<FastifyRequest>().headers['if-match'];
});

/** Throws `etag_mismatch` (412) unless the header is absent, `*`, or names the row's version. */
export function assertMatches(ifMatch: string | undefined, row: { readonly version: number }): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const current = etagOf(row);
  const given = ifMatch.split(',').map((tag) => tag.trim());
  if (!given.includes(current)) throw new GatewayError('etag_mismatch', { param: 'if-match' });
}

/** An answer with a text `etag` carries it as the header too. */
@Injectable()
export class EtagInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      map((answer: unknown) => {
        if (typeof answer === 'object' && answer !== null && 'etag' in answer) {
          const { etag } = answer;
          if (typeof etag === 'string') {
            void context.switchToHttp().getResponse<FastifyReply>().header('etag', etag);
          }
        }
        return answer;
      }),
    );
  }
}
