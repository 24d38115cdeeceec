import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { Row } from '../row';

/**
 * Rules for user keys. A member that is absent in a workspace is inherited from the organisation.
 */
export interface UserKeySettings {
  /** Maximum number of user keys of one user in one workspace; -1 for no limit. */
  readonly user_api_key_count?: number;
  /** Lifetime in seconds of a new user key without an explicit expiry; 0 for no expiry. */
  readonly user_api_key_ttl?: number;
  /** Maximum lifetime of a user key in seconds; 0 for no limit. */
  readonly user_api_key_max_ttl?: number;
  /** Required rotation period of user keys in days, 1 to 365; 0 for none. */
  readonly user_api_key_rotation_period?: number;
  /** Whether a new member of a workspace gets a user key. */
  readonly user_api_key_auto_create?: boolean;
  /** Scopes of an automatically created key; empty for the default set. */
  readonly user_api_key_auto_create_scopes?: readonly string[];
}

/** Settings of an organisation for its identity provider; absent members have their defaults. */
export interface ScimSettings {
  readonly workspace_name_prefix?: string;
  readonly workspace_role_separator?: string;
  readonly adopt_existing?: boolean;
  readonly group_based_user_provisioning?: boolean;
  /** Whether only the identity provider may change users of the organisation. */
  readonly manage_organisation?: boolean;
}

/** Rules of an organisation for OAuth clients; absent members have their defaults. */
export interface OauthSettings {
  /**
   * Allowed clients. `documents`: registered clients, and clients whose id is the URL of a metadata
   * document. `registered`: only clients of administrators and the CLI.
   */
  readonly clients?: 'any' | 'documents' | 'registered';
  readonly device_flow?: boolean;
  /** Whether only tokens that are bound to a key (DPoP) are issued. */
  readonly require_dpop?: boolean;
}

export interface OrganisationSettings extends UserKeySettings {
  /** 1: bodies are logged; 0: metrics only. */
  readonly debug_log?: 0 | 1;
  /**
   * `strict` refuses requests that cannot be recorded; `standard`, the default, serves and counts
   * them.
   */
  readonly audit?: 'standard' | 'strict';
  /** Maximum lifetime of a user's session in seconds; absent for 30 days. */
  readonly max_session_ttl?: number;
  /**
   * Whether a session by password needs a second factor. A session without one may only add a
   * factor.
   */
  readonly require_mfa?: boolean;
  readonly scim?: ScimSettings;
  readonly oauth?: OauthSettings;
  /** `user_api_key_auto_create` for the default workspace only. */
  readonly default_workspace_user_api_key_auto_create?: boolean;
}

/**
 * Ids of guardrails of the organisation that check the requests of all its workspaces, in their
 * order.
 */
export interface OrganisationDefaults {
  readonly input_guardrails?: readonly string[];
  readonly output_guardrails?: readonly string[];
}

/** Security settings by name; an absent setting has its default. */
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
  /** Ids of fields that exports must not contain. */
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

  /** Categories of settings that workspaces may override. */
  @Column({ name: 'workspace_overrides', type: 'jsonb', default: {} })
  workspaceOverrides!: Readonly<Record<string, boolean>>;
}
