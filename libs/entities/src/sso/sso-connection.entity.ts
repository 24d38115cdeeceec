import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import type { InvitedWorkspace } from '../identity/user-invite.entity';
import { Row } from '../row';

export type TokenEndpointAuthMethod =
  'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none';

/**
 * A group of an identity provider, and the role that it gives: in a workspace, or in the
 * organisation when that is null.
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
 * Facts of a connection of type `saml` about its identity provider, whose entity id is the issuer.
 */
export interface SamlSettings {
  readonly ssoUrl: string;
  readonly ssoBinding: 'redirect' | 'post';
  /** Where requests for a logout go; null: the provider takes none. */
  readonly sloUrl: string | null;
  /** Absent, as in settings that were saved before there were logouts: redirect. */
  readonly sloBinding?: 'redirect' | 'post';
  /** Where answers to the provider's requests go; absent or null: to `sloUrl`. */
  readonly sloResponseUrl?: string | null;
  readonly certificates: readonly {
    readonly pem: string;
    readonly fingerprint: string;
    readonly validFrom: string;
    readonly validUntil: string;
  }[];
  /** Where the metadata is read, again and again; null when it was sent. */
  readonly metadataUrl: string | null;
  /**
   * Parts that administrators have set by hand, so that reading the metadata again does not change
   * them. Absent: all parts, as in older settings whose metadata was not sent since.
   */
  readonly ownParts?: readonly SamlMetadataPart[];
  /** Why the metadata was not applied when it was last read again; absent or null: it was. */
  readonly metadataFault?: string | null;
  /** The last mail about certificates that expire; absent: none was sent. */
  readonly expiryMail?: { readonly validUntil: string; readonly days: number };
  /** Certificate of our own key for the connection, PEM. */
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
   * Domains whose addresses are sent here; each is a verified domain of the organisation when it is
   * used.
   */
  @Column({ name: 'domains', type: 'jsonb', default: [] })
  domains!: readonly string[];

  /** SAML: the entity id of the provider. */
  @Column({ name: 'issuer', type: 'varchar', length: 2048 })
  issuer!: string;

  @Column({ name: 'client_id', type: 'varchar', length: 512 })
  clientId!: string;

  /**
   * `seal()` of the client secret and private keys, also that of SAML, as JSON, bound to the
   * connection; null without any.
   */
  @Column({ name: 'sealed_secrets', type: 'text', nullable: true })
  sealedSecrets!: string | null;

  @Column({ name: 'token_endpoint_auth_method', type: 'varchar', length: 32 })
  tokenEndpointAuthMethod!: TokenEndpointAuthMethod;

  /** Scopes besides openid, profile and email. */
  @Column({ name: 'scopes', type: 'jsonb', default: [] })
  scopes!: readonly string[];

  /** True: an address counts as proven although the provider does not say so. */
  @Column({ name: 'trust_email', type: 'boolean', default: false })
  trustEmail!: boolean;

  /** True: whom the provider knows becomes a member at the first login. */
  @Column({ name: 'auto_provision', type: 'boolean', default: true })
  autoProvision!: boolean;

  /**
   * True: only invited users with an address of a verified domain may log in for the first time.
   */
  @Column({ name: 'disable_auto_provision_user', type: 'boolean', default: false })
  disableAutoProvisionUser!: boolean;

  @Column({ name: 'default_workspaces', type: 'jsonb', default: [] })
  defaultWorkspaces!: readonly InvitedWorkspace[];

  /**
   * True: owners of the organisation may log in here. Only owners set it, and each change of the
   * provider by others clears it.
   */
  @Column({ name: 'admits_owners', type: 'boolean', default: false })
  admitsOwners!: boolean;

  /** True: addresses of the connection's domains log in by it, and not by password. */
  @Column({ name: 'enforced', type: 'boolean', default: false })
  enforced!: boolean;

  /** Claim that names the groups of a user. */
  @Column({ name: 'groups_claim', type: 'varchar', length: 255, default: 'groups' })
  groupsClaim!: string;

  /** Rules that give roles by groups of the provider; all that match apply. */
  @Column({ name: 'group_rules', type: 'jsonb', default: [] })
  groupRules!: readonly SsoGroupRule[];

  /** True: what only a group has given ends at the first login without the group. */
  @Column({ name: 'remove_mapped', type: 'boolean', default: false })
  removeMapped!: boolean;

  /** Seconds since the user last authenticated at the provider, at most; null: no bound. */
  @Column({ name: 'max_age', type: 'integer', nullable: true })
  maxAge!: number | null;

  /** Seconds that a session lasts at most; null: as the organisation has set it. */
  @Column({ name: 'max_session_ttl', type: 'integer', nullable: true })
  maxSessionTtl!: number | null;

  /** OpenID Connect: classes of authentication, one of which a login must have. */
  @Column({ name: 'acr_values', type: 'jsonb', default: [] })
  acrValues!: readonly string[];

  /** OpenID Connect: prompt that the provider shows users at each login. */
  @Column({ name: 'prompt', type: 'varchar', length: 16, nullable: true })
  prompt!: 'login' | 'select_account' | 'consent' | null;

  /** OpenID Connect: claims of the address and the names; null: the usual ones. */
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
