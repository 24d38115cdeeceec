import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { Row } from '../row';

/** An organisation's account at a guardrail partner, whose checks guardrails call. */
@Entity('plugins')
@Check('plugins_status_ck', `status IN ('active', 'archived')`)
@Index('plugins_provider_uq', ['organisationId', 'pluginProviderId'], {
  unique: true,
  where: `status <> 'archived'`,
})
export class PluginEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'plugins_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'plugins_organisation_fk' })
  organisationId!: string;

  /** Name of the partner, such as `patronus`; the ids of its checks begin with it. */
  @Column({ name: 'plugin_provider_id', type: 'varchar', length: 64 })
  pluginProviderId!: string;

  @Column({ name: 'name', type: 'varchar', length: 255 })
  name!: string;

  @Column({ name: 'status', type: 'varchar', length: 16, default: 'active' })
  status!: 'active' | 'archived';

  /**
   * `seal()` of the credentials, bound to `plugin:<organisation id>:<id>`; null once it is
   * archived.
   */
  @Column({ name: 'sealed_credentials', type: 'text', nullable: true })
  sealedCredentials!: string | null;

  /** Masked credentials for responses. */
  @Column({ name: 'masked_credentials', type: 'jsonb', default: {} })
  maskedCredentials!: Record<string, string>;
}
