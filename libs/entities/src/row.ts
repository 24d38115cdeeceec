import { Column, CreateDateColumn, UpdateDateColumn, VersionColumn } from 'typeorm';

/**
 * Columns of every resource's table. The inserting service generates ids with `uuidv7()` of the
 * kernel: an insert then needs no round trip to return the id, and ids sort by time.
 */
export abstract class Row {
  /**
   * Increases with every save and update through TypeORM; the resource's etag is derived from it.
   */
  @VersionColumn({ name: 'version', type: 'integer', default: 1 })
  version!: number;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'last_updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  lastUpdatedAt!: Date;
}

/**
 * Base of rows without version and update time, which are written once or are not resources
 * themselves.
 */
export abstract class PlainRow {
  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;
}
