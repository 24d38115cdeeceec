import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { Row } from '../row';

/** Settings in the form of the public API, without the workspaces, which have a separate column. */
export interface DeploymentAuthSettings {
  readonly gateway_base_url?: string;
  readonly mcp_gateway_base_url?: string;
  readonly private_link_endpoint?: string;
  readonly use_private_link_proxy?: 0 | 1;
  readonly is_dataservice_hosted?: 0 | 1;
  readonly is_playground_proxy_allowed?: 0 | 1;
  readonly jwt_subs_allowed?: readonly string[];
  /** Workspace ids by subject. */
  readonly jwt_sub_workspace_mapping?: Readonly<Record<string, string>>;
}

/**
 * An environment in which gateways run. They send its `client_auth` when they report to the control
 * plane.
 */
@Entity('deployments')
@Check('deployments_status_ck', `status IN ('active', 'archived')`)
@Check('deployments_type_ck', `type IN ('production', 'non_production')`)
@Check('deployments_source_type_ck', `source_type IN ('ui', 'api', 'helm', 'terraform')`)
@Check('deployments_connection_status_ck', `connection_status IN ('healthy', 'unhealthy', 'unknown')`)
@Index('deployments_slug_uq', ['organisationId', 'slug'], { unique: true, where: `status <> 'archived'` })
@Index('deployments_default_uq', ['organisationId'], {
  unique: true,
  where: `is_default AND status = 'active'`,
})
@Index('deployments_page_ix', ['organisationId', 'createdAt', 'id'])
export class DeploymentEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'deployments_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'deployments_organisation_fk' })
  organisationId!: string;

  @Column({ name: 'slug', type: 'varchar', length: 255 })
  slug!: string;

  @Column({ name: 'name', type: 'varchar', length: 255 })
  name!: string;

  @Column({ name: 'type', type: 'varchar', length: 16 })
  type!: 'production' | 'non_production';

  @Column({ name: 'status', type: 'varchar', length: 16, default: 'active' })
  status!: 'active' | 'archived';

  @Column({ name: 'is_default', type: 'boolean', default: false })
  isDefault!: boolean;

  /** How it was created; never changes. */
  @Column({ name: 'source_type', type: 'varchar', length: 16 })
  sourceType!: 'ui' | 'api' | 'helm' | 'terraform';

  @Column({ name: 'auth_settings', type: 'jsonb', default: {} })
  authSettings!: DeploymentAuthSettings;

  /** Ids of the workspaces that may use it; null for all. */
  @Column({ name: 'workspaces_allowed', type: 'uuid', array: true, nullable: true })
  workspacesAllowed!: string[] | null;

  @Column({ name: 'deployment_config', type: 'jsonb', nullable: true })
  deploymentConfig!: Record<string, unknown> | null;

  @Column({ name: 'tags', type: 'jsonb', nullable: true })
  tags!: Record<string, string> | null;

  /** HMAC of the `client_auth` that its gateways send. */
  @Index('deployments_client_auth_hash_uq', { unique: true })
  @Column({ name: 'client_auth_hash', type: 'char', length: 64 })
  clientAuthHash!: string;

  @Column({ name: 'masked_client_auth', type: 'varchar', length: 32 })
  maskedClientAuth!: string;

  /** User name for the registry; null for none. */
  @Column({ name: 'registry_username', type: 'varchar', length: 255, nullable: true })
  registryUsername!: string | null;

  /** `seal()` of the registry's password, bound to `deployment:<organisation id>:<id>`. */
  @Column({ name: 'sealed_registry_password', type: 'text', nullable: true })
  sealedRegistryPassword!: string | null;

  /** Result of the last ping. */
  @Column({ name: 'connection_status', type: 'varchar', length: 16, default: 'unknown' })
  connectionStatus!: 'healthy' | 'unhealthy' | 'unknown';

  @Column({ name: 'created_by', type: 'uuid', nullable: true })
  createdBy!: string | null;
}
