import type { RequestClaim } from '@gw/entities';
import { idempotencyFingerprint, idempotencyScope, randomHex, readIdempotencyKey } from '@gw/kernel';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import type { Principal } from '../common/principal';
import { currentCall, withinCall } from '../common/call-context';
import { IdempotentRequests } from './idempotent-requests';

/**
 * Executes a POST with an `Idempotency-Key` once and returns the first response to repeated
 * requests. Runs around every handler, after the guards, so that a repeated request also needs a
 * credential that may call the route.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(private readonly requests: IdempotentRequests) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { principal, method, headers } = request;
    // A key belongs to a caller, so a request without a caller cannot have one.
    if (method !== 'POST' || !principal || headers['idempotency-key'] === undefined) return next.handle();
    const key = readIdempotencyKey(headers['idempotency-key']) as string;
    // A dry run changes nothing, so it needs no claim.
    if (currentCall()?.isDryRun === true) return next.handle();
    const claim = claimOf(request, principal, key);
    const handle = (): Promise<unknown> =>
      withinCall({ claim, isDryRun: false }, () => lastValueFrom(next.handle(), { defaultValue: undefined }));
    return from(this.requests.once(claim, handle, context.switchToHttp().getResponse()));
  }
}

function claimOf({ url, body }: FastifyRequest, caller: Principal, key: string): RequestClaim {
  const { organisationId, workspaceId, apiKeyId, userId, request } = caller;
  const scope = idempotencyScope({
    organisationId,
    // Responses may contain new secrets, so a key belongs to one credential and not to the whole
    // workspace.
    workspaceId: apiKeyId ?? userId ?? '',
    method: request.method,
    path: request.uri,
    key,
  });
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body ?? null));
  const fingerprint = idempotencyFingerprint({ url, headers: [workspaceId ?? ''], body: bytes });
  return { scope, organisationId, fingerprint, token: randomHex(16) };
}
