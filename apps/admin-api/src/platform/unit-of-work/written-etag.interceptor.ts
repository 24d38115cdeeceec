import { isObject } from '@gw/kernel';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { collectingWritten, type Written } from '../common/call-context';

const WRITING: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Sends the new etag of the resource that a request has created or changed as a header, so that the next change needs
 * no GET. A POST has one only if its response names the resource: other posts are actions, or create several.
 */
@Injectable()
export class WrittenEtagInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const { method } = http.getRequest<FastifyRequest>();
    if (!WRITING.has(method)) return next.handle();
    const handle = (): Promise<unknown> => lastValueFrom(next.handle(), { defaultValue: undefined });
    return from(
      collectingWritten(handle).then(({ result, written }) => {
        if (written && (method !== 'POST' || names(result, written))) {
          void http.getResponse<FastifyReply>().header('etag', written.etag);
        }
        return result;
      }),
    );
  }
}

/** Whether the response has the id, or, as that of a new virtual key, the slug. */
function names(response: unknown, { id, slug }: Written): boolean {
  if (!isObject(response)) return false;
  const { data } = response;
  return (
    (id !== null && response['id'] === id) || (slug !== undefined && isObject(data) && data['slug'] === slug)
  );
}
