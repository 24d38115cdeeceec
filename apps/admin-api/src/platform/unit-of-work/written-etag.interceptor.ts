import { isObject } from '@gw/kernel';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { collectingWritten, type Written } from '../common/call-context';

const WRITING: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Sends the new etag of the created or changed resource as a header, so that the next change needs
 * no GET. A POST gets one only if its response contains the resource: other POSTs are actions, or
 * create several resources.
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

/** Whether the response contains the id of the resource or, for a new virtual key, its slug. */
function names(response: unknown, { id, slug }: Written): boolean {
  if (!isObject(response)) return false;
  const { data } = response;
  return (
    (id !== null && response['id'] === id) || (slug !== undefined && isObject(data) && data['slug'] === slug)
  );
}
