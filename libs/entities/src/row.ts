import { Column, CreateDateColumn, UpdateDateColumn, VersionColumn } from 'typeorm';

/**
 * Columns of every resource's table. Ids are `uuidv7()` of the kernel, given by the service that
 * inserts: an insert then needs no round trip to learn its id, and ids sort by time.
 */
export abstract class Row {
  /** Rises with every save and every update through TypeORM; the resource's etag is made of it. */
  @VersionColumn({ name: 'version', type: 'integer', default: 1 })
  version!: number;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'last_updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  lastUpdatedAt!: Date;
}

/**
 * The same without etag and update time, for rows that are written once or are no resource of their
 * own.
 */
export abstract class PlainRow {
  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;
}
