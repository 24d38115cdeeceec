import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { Row } from '../row';

export interface OrganisationSettings {
  /** 1: bodies are logged; 0: metrics only. */
  readonly debug_log?: 0 | 1;
}

/** Kept apart from `settings`: a workspace may override it only where the organisation allows that. */
export interface DataPlaneSecuritySettings {
  readonly block_inline_config?: boolean;
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

  @Column({ name: 'data_plane_security_settings', type: 'jsonb', default: {} })
  dataPlaneSecuritySettings!: DataPlaneSecuritySettings;
}
