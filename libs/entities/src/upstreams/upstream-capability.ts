import { Column } from 'typeorm';
import { Row } from '../row';

/** A sign of an attack in a definition; `Finding` of `libs/mcp`. */
export interface StoredFinding {
  readonly rule: string;
  readonly severity: string;
}

/**
 * Something that an upstream MCP server or agent offers, such as a tool or a skill. `definition` is
 * what the upstream says now, `approved` what callers see.
 */
export abstract class UpstreamCapability extends Row {
  abstract id: string;
  abstract integrationId: string;
  abstract type: string;

  /** The name, the URI or the URI template; the id of a skill. */
  @Column({ name: 'name', type: 'text' })
  name!: string;

  /** SHA-256 of the name, hex: names may be longer than an index takes. */
  @Column({ name: 'name_digest', type: 'char', length: 64 })
  nameDigest!: string;

  /** Place in the upstream's list, from 0. */
  @Column({ name: 'position', type: 'integer' })
  position!: number;

  @Column({ name: 'definition', type: 'jsonb' })
  definition!: Record<string, unknown>;

  /** Digest of `definition`: `capabilityDigest` of `libs/mcp`. */
  @Column({ name: 'digest', type: 'char', length: 64 })
  digest!: string;

  /** Null: none was approved, or the approved one was rejected. */
  @Column({ name: 'approved', type: 'jsonb', nullable: true })
  approved!: Record<string, unknown> | null;

  @Column({ name: 'state', type: 'varchar', length: 16 })
  state!: 'approved' | 'pending' | 'changed' | 'serve_approved' | 'rejected';

  @Column({ name: 'findings', type: 'jsonb', default: [] })
  findings!: StoredFinding[];

  @Column({ name: 'enabled', type: 'boolean', default: true })
  enabled!: boolean;

  /** When the upstream stopped listing it; null: it is listed. */
  @Column({ name: 'gone_at', type: 'timestamptz', precision: 3, nullable: true })
  goneAt!: Date | null;

  /**
   * User who approved or rejected it last; null when undecided, or decided by the rule of the
   * integration.
   */
  @Column({ name: 'decided_by', type: 'varchar', length: 255, nullable: true })
  decidedBy!: string | null;

  @Column({ name: 'decided_at', type: 'timestamptz', precision: 3, nullable: true })
  decidedAt!: Date | null;
}
