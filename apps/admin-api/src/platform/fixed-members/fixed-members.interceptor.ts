import { membersOf } from '@gw/web';
import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import type { FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { currentCall, withinCall } from '../common/call-context';

/** They say where the call looks, not what the resource is. */
const SELECTING: ReadonlySet<string> = new Set(['workspace_id', 'organisation_id']);
/** Shown by GET as it changes by routes of its own, so that what was read can be sent back. */
const SHOWN_ALONE: ReadonlySet<string> = new Set(['users']);

/**
 * Notes the members of a PUT that the POST of its controller takes and the PUT does not: `Writes` refuses those that are not what
 * they were, which the validation would drop without a word. `status: archived` is one of them wherever the PUT takes no status.
 */
@Injectable()
export class FixedMembersInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { method, body } = context.switchToHttp().getRequest<FastifyRequest>();
    if (method !== 'PUT' || typeof body !== 'object' || body === null) return next.handle();
    const fixed = fixedOf(body, context.getClass(), context.getHandler().name);
    if (fixed.size === 0) return next.handle();
    const call = { claim: null, isDryRun: false, ...currentCall(), fixed };
    return from(withinCall(call, () => lastValueFrom(next.handle(), { defaultValue: undefined })));
  }
}

function fixedOf(body: object, controller: Type, handler: string): ReadonlyMap<string, unknown> {
  const made = bodyTypeOf(controller, 'create');
  const changed = bodyTypeOf(controller, handler);
  if (handler !== 'update' || made === null || changed === null) return new Map();
  const [known, taken] = [membersOf(made), membersOf(changed)];
  const isFixed = ([name, value]: [string, unknown]): boolean =>
    !taken.has(name) &&
    ((known.has(name) && !SELECTING.has(name) && !SHOWN_ALONE.has(name)) ||
      (name === 'status' && value === 'archived'));
  return new Map(Object.entries(body).filter(isFixed));
}

/** The class of the body of a handler; null: it has none. */
function bodyTypeOf(controller: Type, handler: string): Type | null {
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler) ?? {}) as Readonly<
    Record<string, { readonly index: number }>
  >;
  const body = Object.entries(args).find(([key]) => key.startsWith(`${String(RouteParamtypes.BODY)}:`));
  const types = Reflect.getMetadata('design:paramtypes', controller.prototype as object, handler) as
    Type[] | undefined;
  return (body && types?.[body[1].index]) ?? null;
}
