import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { Row } from '../row';

/** Rules for user keys. Absent in a workspace: the organisation's rule. */
export interface UserKeySettings {
  /** User keys of one user in one workspace; -1: no limit. */
  readonly user_api_key_count?: number;
  /** Seconds that a new user key lives when it names no end; 0: for ever. */
  readonly user_api_key_ttl?: number;
  /** Seconds that a user key lives at most; 0: no bound. */
  readonly user_api_key_max_ttl?: number;
  /** Days between rotations that user keys must have, 1 to 365; 0: none. */
  readonly user_api_key_rotation_period?: number;
  /** Whether a new member of a workspace gets a user key. */
  readonly user_api_key_auto_create?: boolean;
  /** Scopes of such a key; empty: the default set. */
  readonly user_api_key_auto_create_scopes?: readonly string[];
}

/** Settings of an organisation for its identity provider; absent members have their defaults. */
export interface ScimSettings {
  readonly workspace_name_prefix?: string;
  readonly workspace_role_separator?: string;
  readonly adopt_existing?: boolean;
  readonly group_based_user_provisioning?: boolean;
  /** True: users of the organisation are changed by the identity provider alone. */
  readonly manage_organisation?: boolean;
}

/** Rules of an organisation for OAuth clients; absent members have their defaults. */
export interface OauthSettings {
  /**
   * `documents`: registered ones and those that are documents at URLs; `registered`: those of
   * administrators and the CLI alone.
   */
  readonly clients?: 'any' | 'documents' | 'registered';
  readonly device_flow?: boolean;
  /** True: only tokens that are bound to a key (DPoP) are issued. */
  readonly require_dpop?: boolean;
}

export interface OrganisationSettings extends UserKeySettings {
  /** 1: bodies are logged; 0: metrics only. */
  readonly debug_log?: 0 | 1;
  /**
   * `strict`: requests that can't be recorded are refused; absent: `standard`, they are served and
   * counted.
   */
  readonly audit?: 'standard' | 'strict';
  /** Seconds that a session of a user lasts at most; absent: 30 days. */
  readonly max_session_ttl?: number;
  /** True: a session by password needs a second factor; one without may only add a factor. */
  readonly require_mfa?: boolean;
  readonly scim?: ScimSettings;
  readonly oauth?: OauthSettings;
  /** `user_api_key_auto_create` of the default workspace alone. */
  readonly default_workspace_user_api_key_auto_create?: boolean;
}

/**
 * Ids of guardrails of the organisation that judge the requests of all its workspaces, in their
 * order.
 */
export interface OrganisationDefaults {
  readonly input_guardrails?: readonly string[];
  readonly output_guardrails?: readonly string[];
}

/** Security settings by name; what is absent has its default. */
export type StoredSecuritySettings = Readonly<Record<string, boolean>>;

/**
 * Kept apart from `settings`: a workspace may override it only where the organisation allows that.
 */
export interface DataPlaneSecuritySettings {
  readonly block_inline_config?: boolean;
}

/**
 * Kept apart from `settings`: a workspace may override it only where the organisation allows that.
 */
export interface ExportSettings {
  /** Ids of fields that no export may hold. */
  readonly deniedFields?: readonly string[];
}

@Entity('organisations')
export class OrganisationEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'organisations_pk' })
  id!: string;

  @Column({ name: 'name', type: 'varchar', length: 255 })
  name!: string;

  @Index('organisations_slug_uq', { unique: true })
  @Column({ name: 'slug', type: 'varchar', length: 255 })
  slug!: string;

  @Column({ name: 'status', type: 'varchar', length: 16, default: 'active' })
  status!: 'active' | 'archived';

  @Column({ name: 'settings', type: 'jsonb', default: {} })
  settings!: OrganisationSettings;

  @Column({ name: 'defaults', type: 'jsonb', default: {} })
  defaults!: OrganisationDefaults;

  @Column({ name: 'data_plane_security_settings', type: 'jsonb', default: {} })
  dataPlaneSecuritySettings!: DataPlaneSecuritySettings;

  @Column({ name: 'export_settings', type: 'jsonb', default: {} })
  exportSettings!: ExportSettings;

  @Column({ name: 'security_settings', type: 'jsonb', default: {} })
  securitySettings!: StoredSecuritySettings;

  /** Categories of settings that workspaces may set for themselves. */
  @Column({ name: 'workspace_overrides', type: 'jsonb', default: {} })
  workspaceOverrides!: Readonly<Record<string, boolean>>;
}
