import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import type { InvitedWorkspace } from '../identity/user-invite.entity';
import { Row } from '../row';

export type TokenEndpointAuthMethod =
  'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none';

/**
 * A rule that gives members of a group of an identity provider a role in a workspace, or in the
 * organisation if `workspaceId` is null.
 */
export interface SsoGroupRule {
  readonly match: 'exact' | 'prefix' | 'regex';
  readonly value: string;
  readonly workspaceId: string | null;
  readonly role: 'admin' | 'manager' | 'member';
}

/** Parts of the metadata of a SAML provider that change together. */
export type SamlMetadataPart = 'entityId' | 'sso' | 'slo' | 'certificates';

/**
 * Settings of a connection of type `saml`. The issuer of the connection is the provider's entity
 * id.
 */
export interface SamlSettings {
  readonly ssoUrl: string;
  readonly ssoBinding: 'redirect' | 'post';
  /** URL for logout requests; null if the provider accepts none. */
  readonly sloUrl: string | null;
  /** Binding of `sloUrl`. Absent, in settings from before logouts existed: `redirect`. */
  readonly sloBinding?: 'redirect' | 'post';
  /** URL for responses to the provider's logout requests; absent or null: `sloUrl`. */
  readonly sloResponseUrl?: string | null;
  readonly certificates: readonly {
    readonly pem: string;
    readonly fingerprint: string;
    readonly validFrom: string;
    readonly validUntil: string;
  }[];
  /** URL from which the metadata is refreshed; null if it was uploaded. */
  readonly metadataUrl: string | null;
  /**
   * Parts that administrators set by hand; a refresh of the metadata does not change them. Absent:
   * all parts, as in older settings whose metadata was not uploaded since.
   */
  readonly ownParts?: readonly SamlMetadataPart[];
  /** Reason why the last refresh of the metadata was not applied; absent or null if it was. */
  readonly metadataFault?: string | null;
  /** The last mail about expiring certificates; absent if none was sent. */
  readonly expiryMail?: { readonly validUntil: string; readonly days: number };
  /** Certificate of Tollgate's own key for the connection, PEM. */
  readonly ownCertificate: string;
  readonly signRequests: boolean;
  readonly allowIdpInitiated: boolean;
  readonly forceAuthn: boolean;
  readonly lenientDestination: boolean;
  readonly enforceCertificateDates: boolean;
  readonly nameIdFormat: string | null;
  readonly authnContext: string | null;
  readonly emailAttribute: string | null;
  readonly givenNameAttribute: string | null;
  readonly familyNameAttribute: string | null;
}

/** An identity provider by which users of an organisation log in. */
@Entity('sso_connections')
@Index('sso_connections_name_uq', ['organisationId', 'name'], { unique: true })
@Index('sso_connections_entity_id_uq', ['organisationId', 'issuer'], {
  unique: true,
  where: `(type)::text = 'saml'::text`,
})
@Index('sso_connections_created_at_ix', ['organisationId', 'createdAt', 'id'])
export class SsoConnectionEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'sso_connections_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'sso_connections_organisation_fk' })
  organisationId!: string;

  @Column({ name: 'name', type: 'varchar', length: 255 })
  name!: string;

  @Column({ name: 'type', type: 'varchar', length: 8, default: 'oidc' })
  type!: 'oidc' | 'saml';

  @Column({ name: 'status', type: 'varchar', length: 16, default: 'active' })
  status!: 'active' | 'disabled';

  /**
   * Mail domains whose users log in with this connection. Each must be a verified domain of the
   * organisation at the time of use.
   */
  @Column({ name: 'domains', type: 'jsonb', default: [] })
  domains!: readonly string[];

  /** Issuer of the provider; for SAML its entity id. */
  @Column({ name: 'issuer', type: 'varchar', length: 2048 })
  issuer!: string;

  @Column({ name: 'client_id', type: 'varchar', length: 512 })
  clientId!: string;

  /**
   * `seal()` of the client secret and private keys (also those of SAML) as JSON, bound to the
   * connection; null if there are none.
   */
  @Column({ name: 'sealed_secrets', type: 'text', nullable: true })
  sealedSecrets!: string | null;

  @Column({ name: 'token_endpoint_auth_method', type: 'varchar', length: 32 })
  tokenEndpointAuthMethod!: TokenEndpointAuthMethod;

  /** Additional scopes to openid, profile and email. */
  @Column({ name: 'scopes', type: 'jsonb', default: [] })
  scopes!: readonly string[];

  /** Whether addresses count as proven even if the provider does not state it. */
  @Column({ name: 'trust_email', type: 'boolean', default: false })
  trustEmail!: boolean;

  /** Whether users of the provider become members at their first login. */
  @Column({ name: 'auto_provision', type: 'boolean', default: true })
  autoProvision!: boolean;

  /** Whether a first login requires an invite and an address of a verified domain. */
  @Column({ name: 'disable_auto_provision_user', type: 'boolean', default: false })
  disableAutoProvisionUser!: boolean;

  @Column({ name: 'default_workspaces', type: 'jsonb', default: [] })
  defaultWorkspaces!: readonly InvitedWorkspace[];

  /**
   * Whether owners of the organisation may log in here. Only owners can set it; any change of the
   * provider by others resets it.
   */
  @Column({ name: 'admits_owners', type: 'boolean', default: false })
  admitsOwners!: boolean;

  /** Whether users of the connection's domains must log in here instead of with a password. */
  @Column({ name: 'enforced', type: 'boolean', default: false })
  enforced!: boolean;

  /** Claim with the groups of a user. */
  @Column({ name: 'groups_claim', type: 'varchar', length: 255, default: 'groups' })
  groupsClaim!: string;

  /** Rules that give roles by group; all matching rules apply. */
  @Column({ name: 'group_rules', type: 'jsonb', default: [] })
  groupRules!: readonly SsoGroupRule[];

  /** Whether roles that came only from a group end at the first login without the group. */
  @Column({ name: 'remove_mapped', type: 'boolean', default: false })
  removeMapped!: boolean;

  /**
   * Maximum time in seconds since the user last authenticated at the provider; null for no limit.
   */
  @Column({ name: 'max_age', type: 'integer', nullable: true })
  maxAge!: number | null;

  /** Maximum lifetime of a session in seconds; null for the organisation's setting. */
  @Column({ name: 'max_session_ttl', type: 'integer', nullable: true })
  maxSessionTtl!: number | null;

  /** OpenID Connect: authentication context classes; a login must have one of them. */
  @Column({ name: 'acr_values', type: 'jsonb', default: [] })
  acrValues!: readonly string[];

  /** OpenID Connect: value of `prompt` for each login; null for none. */
  @Column({ name: 'prompt', type: 'varchar', length: 16, nullable: true })
  prompt!: 'login' | 'select_account' | 'consent' | null;

  /** OpenID Connect: claims with the address and the names; null for the standard ones. */
  @Column({ name: 'email_claim', type: 'varchar', length: 255, nullable: true })
  emailClaim!: string | null;

  @Column({ name: 'given_name_claim', type: 'varchar', length: 255, nullable: true })
  givenNameClaim!: string | null;

  @Column({ name: 'family_name_claim', type: 'varchar', length: 255, nullable: true })
  familyNameClaim!: string | null;

  /** Null for OpenID Connect. */
  @Column({ name: 'saml', type: 'jsonb', nullable: true })
  saml!: SamlSettings | null;
}
