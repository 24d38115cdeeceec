import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { PlainRow } from '../row';
import { McpIntegrationEntity } from './mcp-integration.entity';

/** Operations that have all of these; an absent member excludes none. */
export interface StoredOperationFilter {
  readonly operation_ids?: readonly string[];
  readonly tags?: readonly string[];
  readonly methods?: readonly string[];
  /** Paths, or beginnings of paths before a final `*`. */
  readonly paths?: readonly string[];
}

/**
 * Which operations of a document become tools, and how. Operations are named by their ids, or by
 * `method path`.
 */
export interface StoredOpenApiSelection {
  /** Null: all GET operations. */
  readonly include: StoredOperationFilter | null;
  readonly exclude: StoredOperationFilter | null;
  /** Names of tools by operation. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Operations that change nothing, whatever their methods say. */
  readonly read_only: readonly string[];
  readonly output_schemas: boolean;
}

/** An operation that was selected and cannot be a tool. */
export interface StoredSkippedOperation {
  /** Such as `post /pets`. */
  readonly operation: string;
  readonly reason: string;
}

/**
 * The OpenAPI document of an integration of the kind `openapi`, and what an administrator chose of
 * it.
 */
@Entity('mcp_openapi_documents')
export class McpOpenApiDocumentEntity extends PlainRow {
  @PrimaryColumn({
    name: 'integration_id',
    type: 'uuid',
    primaryKeyConstraintName: 'mcp_openapi_documents_pk',
  })
  @ForeignKey(() => McpIntegrationEntity, { name: 'mcp_openapi_documents_integration_fk' })
  integrationId!: string;

  /** Where the document is read again; null: it was given. */
  @Column({ name: 'url', type: 'varchar', length: 2048, nullable: true })
  url!: string | null;

  /** JSON or YAML, at most 5 MiB, as it was given or read last. */
  @Column({ name: 'document', type: 'text' })
  document!: string;

  /** SHA-256 of `document`, hex. */
  @Column({ name: 'digest', type: 'char', length: 64 })
  digest!: string;

  @Column({ name: 'selection', type: 'jsonb' })
  selection!: StoredOpenApiSelection;

  @Column({ name: 'skipped', type: 'jsonb', default: [] })
  skipped!: StoredSkippedOperation[];

  /** When the document was given or read last. */
  @Column({ name: 'read_at', type: 'timestamptz', precision: 3 })
  readAt!: Date;
}
