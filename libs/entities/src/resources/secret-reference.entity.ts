import type { SecretManagerType } from '@gw/contracts';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { Row } from '../row';

/** A pointer to a secret in an external secret manager. The secret itself is in no table. */
@Entity('secret_references')
@Check('secret_references_status_ck', `status IN ('active', 'archived')`)
@Check('secret_references_manager_type_ck', `manager_type IN ('cloud1_sm', 'cloud2_kv', 'vendor3_vault')`)
@Index('secret_references_slug_uq', ['organisationId', 'slug'], {
  unique: true,
  where: `status <> 'archived'`,
})
@Index('secret_references_page_ix', ['organisationId', 'createdAt', 'id'])
export class SecretReferenceEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'secret_references_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'secret_references_organisation_fk' })
  organisationId!: string;

  @Column({ name: 'slug', type: 'varchar', length: 255 })
  slug!: string;

  @Column({ name: 'name', type: 'varchar', length: 255 })
  name!: string;

  @Column({ name: 'description', type: 'text', nullable: true })
  description!: string | null;

  @Column({ name: 'status', type: 'varchar', length: 16, default: 'active' })
  status!: 'active' | 'archived';

  @Column({ name: 'manager_type', type: 'varchar', length: 16 })
  managerType!: SecretManagerType;

  /**
   * `seal()` of the secret fields of `auth_config`, bound to `secret_reference:<organisation
   * id>:<id>`; null: there are none.
   */
  @Column({ name: 'sealed_auth', type: 'text', nullable: true })
  sealedAuth!: string | null;

  /** Fields of `auth_config` that are not secret. */
  @Column({ name: 'auth_config', type: 'jsonb', default: {} })
  authConfig!: Record<string, string>;

  /** Masked values of the sealed fields for responses, by their own names. */
  @Column({ name: 'masked_auth', type: 'jsonb', default: {} })
  maskedAuth!: Record<string, string>;

  @Column({ name: 'secret_path', type: 'varchar', length: 1024 })
  secretPath!: string;

  @Column({ name: 'secret_key', type: 'varchar', length: 255, nullable: true })
  secretKey!: string | null;

  /** Ids of the workspaces that may use it; null: all of them. */
  @Column({ name: 'allowed_workspaces', type: 'uuid', array: true, nullable: true })
  allowedWorkspaces!: string[] | null;

  @Column({ name: 'tags', type: 'jsonb', nullable: true })
  tags!: Record<string, string> | null;

  /** User who created it; null for an API key. */
  @Column({ name: 'created_by', type: 'uuid', nullable: true })
  createdBy!: string | null;

  /** Time at which gateways were last notified to read the secret again. */
  @Column({ name: 'rotated_at', type: 'timestamptz', precision: 3, nullable: true })
  rotatedAt!: Date | null;
}
