import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { ACCESS_RULE, type AccessRule } from './access';
import { AccessGate } from './access.gate';

/**
 * Enforces the access rule of a route once the whole request is known. Refuses requests to a route
 * without a rule, and requests that the access gate has not admitted.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly gate: AccessGate,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const rule = this.reflector.get<AccessRule | undefined>(ACCESS_RULE, context.getHandler());
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { identity } = request;
    const route = `${context.getClass().name}.${context.getHandler().name}`;
    if (rule === undefined) throw new Error(`No access rule on ${route}.`);
    // The gate reads the rule from the server's route; it must be the same rule.
    if (request.routeOptions.config.access !== rule)
      throw new Error(`The access gate has not checked ${route}.`);
    if (rule.kind === 'public' || rule.kind === 'service') return true;
    if (!identity) throw new Error(`The access gate has not admitted ${route}.`);
    this.gate.assertMay(await this.gate.callerOf(request, identity), request, rule);
    return true;
  }
}
