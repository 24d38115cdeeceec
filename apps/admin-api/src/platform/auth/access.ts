import { isScope } from '@gw/auth-scopes';
import { applyDecorators, HttpCode, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension, ApiSecurity } from '@nestjs/swagger';
import { PUBLIC_BODY } from '../bodies';
import { addRouteConfig } from '../route-config';
import { accessRow } from './access-table';

/**
 * Callers that a route admits. Every route declares exactly one rule; the process does not start
 * with a route without one.
 */
export type AccessRule =
  | { readonly kind: 'scopes'; readonly anyOf: readonly string[] }
  | { readonly kind: 'public'; readonly reason: string }
  | { readonly kind: 'session'; readonly tokens: boolean }
  | { readonly kind: 'api_key' }
  /**
   * Every caller, including access tokens issued for this path only. The route dispatches calls to
   * other routes, which have their own rules.
   */
  | { readonly kind: 'caller'; readonly resource: string }
  | { readonly kind: 'service' };

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: AccessRule;
  }
}

export const ACCESS_RULE = 'gw:access-rule';

/**
 * Declares the rule and status 200: the control plane responds with 200 to every success, also to
 * creations.
 */
const declare = (rule: AccessRule, ...more: MethodDecorator[]): MethodDecorator =>
  applyDecorators(
    ((target: object, key: string | symbol, descriptor: TypedPropertyDescriptor<unknown>) => {
      if (Reflect.hasMetadata(ACCESS_RULE, descriptor.value as object)) {
        throw new Error(`${target.constructor.name}.${String(key)} declares more than one access rule.`);
      }
    }) as MethodDecorator,
    SetMetadata(ACCESS_RULE, rule),
    addRouteConfig({ access: rule, ...(rule.kind === 'public' && { bodyBounds: PUBLIC_BODY }) }),
    HttpCode(200),
    ApiExtension('x-gw-access', rule.kind),
    ...more,
  );

/**
 * Allows an API key or a session that holds one of the scopes. Throws at load for a scope that is
 * not in the catalogue.
 */
export function Requires(...anyOf: [string, ...string[]]): MethodDecorator {
  const unknown = anyOf.filter((scope) => !isScope(scope));
  if (unknown.length > 0) throw new Error(`Scopes that are not in the catalogue: ${unknown.join(', ')}.`);
  const row = accessRow(anyOf);
  return declare(
    { kind: 'scopes', anyOf },
    ApiExtension('x-gw-scopes', anyOf),
    ApiExtension('x-gw-key-types', row.keyTypes),
    ApiExtension('x-gw-roles', row.roles),
    ApiExtension('x-gw-security-settings', row.securitySettings),
    ApiSecurity('api_key'),
    ApiBearerAuth('bearer'),
  );
}

/** Allows everyone. `reason` explains why that is safe. */
export const Public = (reason: string): MethodDecorator =>
  declare({ kind: 'public', reason }, ApiExtension('x-gw-scopes', []));

/**
 * Allows any logged-in user of any role. An API key gets 401. With `tokens`, also allows a signed
 * token of a trust that identifies a user.
 */
export const SessionOnly = ({ tokens = false } = {}): MethodDecorator =>
  declare({ kind: 'session', tokens }, ApiExtension('x-gw-scopes', []), ApiBearerAuth('bearer'));

/**
 * Allows an API key of any type and with any scopes, for routes on which a key reads information
 * about itself. A session gets 401.
 */
export const ApiKeyOnly = (): MethodDecorator =>
  declare({ kind: 'api_key' }, ApiExtension('x-gw-scopes', []), ApiSecurity('api_key'));

/**
 * Allows only Tollgate's own processes, by the service token. Such routes are not in the public
 * document.
 */
export const ServiceOnly = (): MethodDecorator => declare({ kind: 'service' });
