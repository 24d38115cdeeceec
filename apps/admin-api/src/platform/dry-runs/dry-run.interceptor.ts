import type { ErrorDetail } from '@gw/kernel';
import { invalid } from '@gw/web';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { noteChecked, withinCall } from '../common/call-context';
import { DryRunChecked } from './dry-run-checked';
import { takesDryRun } from './dry-run-routes';

/**
 * Handles `?dry_run=true`: the request runs all its checks, its transaction is rolled back, and the
 * response is 204, or 200 with the `warnings` of the real request. A request that would be refused
 * is refused with the same error.
 */
@Injectable()
export class DryRunInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const { method, query, routeOptions, principal } = http.getRequest<FastifyRequest>();
    const value = (query as Readonly<Record<string, unknown>>)['dry_run'];
    if (value === undefined || value === 'false' || !principal) return next.handle();
    if (value !== 'true') throw invalid('dry_run', 'dry_run must be true or false');
    if (!takesDryRun(method, routeOptions.url ?? '')) {
      throw invalid('dry_run', 'dry_run is not available on this route; leave it out');
    }
    const handle = (): Promise<unknown> => lastValueFrom(next.handle(), { defaultValue: undefined });
    return from(
      withinCall({ claim: null, isDryRun: true }, handle).then(
        () => checked(http.getResponse(), []),
        (error: unknown) => {
          if (!(error instanceof DryRunChecked)) throw error;
          noteChecked(error.entries);
          return checked(http.getResponse(), error.warnings);
        },
      ),
    );
  }
}

function checked(reply: FastifyReply, warnings: readonly ErrorDetail[]): object | undefined {
  void reply.status(warnings.length === 0 ? 204 : 200);
  return warnings.length === 0 ? undefined : { warnings };
}
