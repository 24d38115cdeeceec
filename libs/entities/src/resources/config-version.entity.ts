import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { PlainRow } from '../row';
import { ConfigEntity } from './config.entity';

/** One saved content of a config; never changed. */
@Entity('config_versions')
@Index('config_versions_number_uq', ['configId', 'number'], { unique: true })
export class ConfigVersionEntity extends PlainRow {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'config_versions_pk' })
  id!: string;

  @Column({ name: 'config_id', type: 'uuid' })
  @ForeignKey(() => ConfigEntity, { name: 'config_versions_config_fk' })
  configId!: string;

  /** 1 is the first. */
  @Column({ name: 'number', type: 'integer' })
  number!: number;

  /** `json`, not `jsonb`: the members keep the order in which they were written. */
  @Column({ name: 'content', type: 'json' })
  content!: Record<string, unknown>;

  @Column({ name: 'created_by', type: 'uuid', nullable: true })
  createdBy!: string | null;
}
