import { isScope } from '@gw/auth-scopes';
import { applyDecorators, HttpCode, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension, ApiSecurity } from '@nestjs/swagger';
import { PUBLIC_BODY } from '../bodies';
import { addRouteConfig } from '../route-config';
import { accessRow } from './access-table';

/** Who may call a route. Every route declares exactly one; one without any is refused at start and for every caller. */
export type AccessRule =
  | { readonly kind: 'scopes'; readonly anyOf: readonly string[] }
  | { readonly kind: 'public'; readonly reason: string }
  | { readonly kind: 'session' }
  | { readonly kind: 'api_key' }
  | { readonly kind: 'service' };

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: AccessRule;
  }
}

export const ACCESS_RULE = 'gw:access-rule';

/** The control plane answers 200 to every success, creations included, so the status belongs to the access rule. */
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

/** An API key or a session that holds any one of the scopes. Throws at load for a scope that is not in the catalogue. */
export function Requires(...anyOf: [string, ...string[]]): MethodDecorator {
  const unknown = anyOf.filter((scope) => !isScope(scope));
  if (unknown.length > 0) throw new Error(`Not in the catalogue of scopes: ${unknown.join(', ')}.`);
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

/** Anyone. The reason says why that is safe; the spec over the live routes prints it. */
export const Public = (reason: string): MethodDecorator =>
  declare({ kind: 'public', reason }, ApiExtension('x-gw-scopes', []));

/** A logged-in user, whatever the role. An API key alone is 401. */
export const SessionOnly = (): MethodDecorator =>
  declare({ kind: 'session' }, ApiExtension('x-gw-scopes', []), ApiBearerAuth('bearer'));

/** An API key of any type, whatever its scopes: for what it may know of itself. A session is 401. */
export const ApiKeyOnly = (): MethodDecorator =>
  declare({ kind: 'api_key' }, ApiExtension('x-gw-scopes', []), ApiSecurity('api_key'));

/** Our own processes, by the service token. Never in the public document. */
export const ServiceOnly = (): MethodDecorator => declare({ kind: 'service' });
