import type { CapabilityName, KeyType, OrganisationRole, SettingGroup, WorkspaceRole } from '@gw/auth-scopes';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** Where the call came from, for the audit log. */
export interface RequestFacts {
  readonly id: string;
  readonly method: string;
  /** Path without its query. */
  readonly uri: string;
  readonly clientIp: string | null;
  readonly userAgent: string | null;
}

/**
 * Who calls, already narrowed to the workspace that the request names. The first argument of every service method; every
 * query is scoped by it through `tenancy.ts`.
 */
export interface Principal {
  /** `system`: our own processes, such as the set-up; never of a request. */
  readonly kind: 'api_key' | 'session' | 'system';
  readonly organisationId: string;
  /**
   * The one workspace that this call may touch. Null: the whole organisation, which only organisation keys and sessions of
   * the organisation's users have, when the request names no workspace.
   */
  readonly workspaceId: string | null;
  /** The user of a session or of a user key. */
  readonly userId: string | null;
  readonly apiKeyId: string | null;
  /** The user who made a service key. */
  readonly makerId: string | null;
  readonly keyType: KeyType | null;
  readonly sessionId: string | null;
  /** Of the user of a session or of a user key; null for service keys. */
  readonly organisationRole: OrganisationRole | null;
  /** The same in `workspaceId`; null outside of a workspace. */
  readonly workspaceRole: WorkspaceRole | null;
  /** Every workspace that a session's user is a member of; empty for keys. */
  readonly memberships: ReadonlyMap<string, WorkspaceRole>;
  /** What the call may do, and the most that a key made by it may hold. */
  readonly scopes: ReadonlySet<string>;
  /** Which security settings bind the caller: those of its user, or those that bound the maker of a service key. Null: none. */
  readonly standing: SettingGroup | null;
  /** What those settings close for the caller, whatever their scopes. */
  readonly closed: ReadonlySet<CapabilityName>;
  /** The secret that was shown ends then, or the session. */
  readonly expiresAt: Date | null;
  readonly request: RequestFacts;
}

declare module 'fastify' {
  interface FastifyRequest {
    principal?: Principal;
  }
}

export function callerOf(context: ExecutionContext): Principal {
  const { principal } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!principal) throw new Error('A route that is not authenticated asks for its caller.');
  return principal;
}

/** The authenticated caller: `create(@Caller() caller: Principal, @Body() body: CreateThingDto)`. */
export const Caller = createParamDecorator((_data: unknown, context: ExecutionContext) => callerOf(context));
