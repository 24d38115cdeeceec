import type { ClaimCondition, TrustMap } from '@gw/contracts';
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Row } from '../row';
import { OrganisationEntity } from './organisation.entity';

/** An issuer whose tokens an organisation accepts instead of API keys. */
@Entity('trusts')
@Index('trusts_name_uq', ['organisationId', 'name'], { unique: true })
@Index('trusts_created_at_ix', ['organisationId', 'createdAt', 'id'])
export class TrustEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'trusts_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'trusts_organisation_fk' })
  organisationId!: string;

  @Column({ name: 'name', type: 'varchar', length: 255 })
  name!: string;

  /**
   * `jwt`: tokens may choose their scopes and limits within a map. `workload`: only the map
   * determines them. `id_jag`: identity assertions of an identity provider
   * (draft-ietf-oauth-identity-assertion-authz-grant).
   */
  @Column({ name: 'kind', type: 'varchar', length: 16 })
  kind!: 'jwt' | 'workload' | 'id_jag';

  @Column({ name: 'preset', type: 'varchar', length: 32, nullable: true })
  preset!: string | null;

  @Column({ name: 'issuer', type: 'varchar', length: 2048 })
  issuer!: string;

  /** SHA-256 of the issuer, hex; gateways find the trusts of an issuer by it. */
  @Index('trusts_issuer_digest_ix')
  @Column({ name: 'issuer_digest', type: 'char', length: 64 })
  issuerDigest!: string;

  @Column({ name: 'jwks_urls', type: 'jsonb', default: [] })
  jwksUrls!: readonly string[];

  /** Public keys that an administrator entered instead of URLs. */
  @Column({ name: 'keys', type: 'jsonb', default: [] })
  keys!: readonly object[];

  @Column({ name: 'audiences', type: 'jsonb', default: [] })
  audiences!: readonly string[];

  @Column({ name: 'algorithms', type: 'jsonb', default: [] })
  algorithms!: readonly string[];

  @Column({ name: 'conditions', type: 'jsonb', default: [] })
  conditions!: readonly ClaimCondition[];

  @Column({ name: 'maps', type: 'jsonb', default: [] })
  maps!: readonly TrustMap[];

  /** Maximum time until a token expires, in seconds. */
  @Column({ name: 'max_ttl', type: 'integer' })
  maxTtl!: number;

  /** Whether each token works only once. */
  @Column({ name: 'require_jti_once', type: 'boolean', default: false })
  requireJtiOnce!: boolean;

  /** Whether tokens may call the control plane as the users that they name. */
  @Column({ name: 'link_users', type: 'boolean', default: false })
  linkUsers!: boolean;

  @Column({ name: 'status', type: 'varchar', length: 16, default: 'active' })
  status!: 'active' | 'disabled';
}
