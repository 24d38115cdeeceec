import type { CapabilityName, KeyType, OrganisationRole, SettingGroup, WorkspaceRole } from '@gw/auth-scopes';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** The origin of a call, for the audit log. */
export interface RequestFacts {
  readonly id: string;
  readonly method: string;
  /** Path without the query string. */
  readonly uri: string;
  readonly clientIp: string | null;
  readonly userAgent: string | null;
}

/**
 * The caller, already limited to the workspace that the request names. It is the first argument of
 * every service method, and `tenancy.ts` scopes every query by it.
 */
export interface Principal {
  /** `system` is one of Tollgate's own processes, such as the set-up; a request never has it. */
  readonly kind: 'api_key' | 'session' | 'system';
  readonly organisationId: string;
  /**
   * The only workspace that this call may touch. Null means the whole organisation: an organisation
   * key, or a session of an organisation's user, and the request names no workspace.
   */
  readonly workspaceId: string | null;
  /** The user of a session or of a user key. */
  readonly userId: string | null;
  readonly apiKeyId: string | null;
  /** The user who created a service key. */
  readonly makerId: string | null;
  readonly keyType: KeyType | null;
  /** Id of the session; null for tokens that act for a user. See `isLoggedIn`. */
  readonly sessionId: string | null;
  /**
   * The grant of an access token, or the user of a signed token of a trust; null for other callers.
   */
  readonly grantId: string | null;
  /** Role of the user of a session or user key; null for service keys. */
  readonly organisationRole: OrganisationRole | null;
  /** Role of that user in `workspaceId`; null without a workspace. */
  readonly workspaceRole: WorkspaceRole | null;
  /** All workspaces of a session's user, with the role in each; empty for keys. */
  readonly memberships: ReadonlyMap<string, WorkspaceRole>;
  /** Scopes of the caller, and the most that a key created by the caller may hold. */
  readonly scopes: ReadonlySet<string>;
  /**
   * The group of security settings that restrict the caller: that of its user, or of the creator of
   * a service key. Null when none do.
   */
  readonly settingGroup: SettingGroup | null;
  /** Capabilities that those settings deny the caller, whatever its scopes. */
  readonly removedCapabilities: ReadonlySet<CapabilityName>;
  /** Expiry of the request's secret or session; null when it does not expire. */
  readonly expiresAt: Date | null;
  readonly request: RequestFacts;
}

/** Whether the caller has logged in. A program that uses a token or a key of a user has not. */
export const isLoggedIn = ({ sessionId }: Pick<Principal, 'sessionId'>): boolean => sessionId !== null;

declare module 'fastify' {
  interface FastifyRequest {
    principal?: Principal;
  }
}

export function callerOf(context: ExecutionContext): Principal {
  const { principal } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!principal) throw new Error('A route without authentication must not read its caller.');
  return principal;
}

/**
 * Injects the authenticated caller: `create(@Caller() caller: Principal, @Body() body:
 * CreateThingDto)`.
 */
export const Caller = createParamDecorator((_data: unknown, context: ExecutionContext) => callerOf(context));
