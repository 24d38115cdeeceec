import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { PlainRow } from '../row';
import { IntegrationEntity } from './integration.entity';

/**
 * Settings of an integration for one model: whether it may be called and, for a custom model, its
 * host and price.
 */
@Entity('integration_models')
@Index('integration_models_slug_uq', ['integrationId', 'slug'], { unique: true })
export class IntegrationModelEntity extends PlainRow {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'integration_models_pk' })
  id!: string;

  @Column({ name: 'integration_id', type: 'uuid' })
  @ForeignKey(() => IntegrationEntity, { name: 'integration_models_integration_fk' })
  integrationId!: string;

  /** Name of the model in requests. */
  @Column({ name: 'slug', type: 'varchar', length: 255 })
  slug!: string;

  @Column({ name: 'enabled', type: 'boolean' })
  enabled!: boolean;

  @Column({ name: 'is_custom', type: 'boolean', default: false })
  isCustom!: boolean;

  @Column({ name: 'is_finetune', type: 'boolean', default: false })
  isFinetune!: boolean;

  /** Catalogue model whose price and capabilities a custom model inherits. */
  @Column({ name: 'base_model_slug', type: 'varchar', length: 255, nullable: true })
  baseModelSlug!: string | null;

  /** Host of a custom model; replaces the integration's host. */
  @Column({ name: 'custom_host', type: 'varchar', length: 2048, nullable: true })
  customHost!: string | null;

  /** Headers of a custom model; they override the integration's headers. */
  @Column({ name: 'custom_headers', type: 'jsonb', default: {} })
  customHeaders!: Record<string, string>;

  /**
   * `{ type: 'static', pay_as_you_go: { request_token: { price }, response_token: { price } } }`,
   * US cents per token.
   */
  @Column({ name: 'pricing_config', type: 'jsonb', nullable: true })
  pricingConfig!: Record<string, unknown> | null;
}
