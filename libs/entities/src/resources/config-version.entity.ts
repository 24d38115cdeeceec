import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { PlainRow } from '../row';
import { ConfigEntity } from './config.entity';

/** A saved version of a config; never changed. */
@Entity('config_versions')
@Index('config_versions_number_uq', ['configId', 'number'], { unique: true })
export class ConfigVersionEntity extends PlainRow {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'config_versions_pk' })
  id!: string;

  @Column({ name: 'config_id', type: 'uuid' })
  @ForeignKey(() => ConfigEntity, { name: 'config_versions_config_fk' })
  configId!: string;

  /** Number of the version; the first is 1. */
  @Column({ name: 'number', type: 'integer' })
  number!: number;

  /** The type is `json` instead of `jsonb`, so that members keep their order. */
  @Column({ name: 'content', type: 'json' })
  content!: Record<string, unknown>;

  @Column({ name: 'created_by', type: 'uuid', nullable: true })
  createdBy!: string | null;
}
