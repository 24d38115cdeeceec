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

/** Members that select the workspace or organisation and do not describe the resource. */
const SELECTING: ReadonlySet<string> = new Set(['workspace_id', 'organisation_id']);
/**
 * Members that GET shows but only other routes change; a GET response with them can be sent back.
 */
const SHOWN_ALONE: ReadonlySet<string> = new Set(['users']);

/**
 * Collects members of a PUT that the controller's POST accepts but the PUT does not. Validation
 * would drop them silently; `Writes` refuses those that differ from their current value. `status:
 * archived` is one of them if the PUT accepts no status.
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
  const createBody = bodyTypeOf(controller, 'create');
  const changed = bodyTypeOf(controller, handler);
  if (handler !== 'update' || createBody === null || changed === null) return new Map();
  const [known, taken] = [membersOf(createBody), membersOf(changed)];
  const isFixed = ([name, value]: [string, unknown]): boolean =>
    !taken.has(name) &&
    ((known.has(name) && !SELECTING.has(name) && !SHOWN_ALONE.has(name)) ||
      (name === 'status' && value === 'archived'));
  return new Map(Object.entries(body).filter(isFixed));
}

/** Returns the class of a handler's body; null when it has none. */
function bodyTypeOf(controller: Type, handler: string): Type | null {
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler) ?? {}) as Readonly<
    Record<string, { readonly index: number }>
  >;
  const body = Object.entries(args).find(([key]) => key.startsWith(`${String(RouteParamtypes.BODY)}:`));
  const types = Reflect.getMetadata('design:paramtypes', controller.prototype as object, handler) as
    Type[] | undefined;
  return (body && types?.[body[1].index]) ?? null;
}
