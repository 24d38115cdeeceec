import type { ConfigEntity, ConfigVersionEntity } from '@gw/entities';
import { etagOf } from '@gw/web';

export interface ConfigItemAnswer {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly organisation_id: string;
  readonly workspace_id: string;
  readonly is_default: 0 | 1;
  readonly status: 'active' | 'archived';
  readonly owner_id: string | null;
  readonly updated_by: string | null;
  readonly created_at: string;
  readonly last_updated_at: string;
  readonly etag: string;
  readonly object: 'config';
}

export interface ConfigAnswer extends ConfigItemAnswer {
  /** JSON text. */
  readonly config: string;
  readonly format: 'json';
  readonly type: 'ORG_CONFIG';
  readonly version_id: string;
  /** 1 is the first. */
  readonly version: number;
}

export const toConfigItem = (row: ConfigEntity): ConfigItemAnswer => ({
  id: row.id,
  name: row.name,
  slug: row.slug,
  organisation_id: row.organisationId,
  workspace_id: row.workspaceId,
  is_default: row.isDefault ? 1 : 0,
  status: row.status,
  owner_id: row.ownerId,
  updated_by: row.updatedBy,
  created_at: row.createdAt.toISOString(),
  last_updated_at: row.lastUpdatedAt.toISOString(),
  etag: etagOf(row),
  object: 'config',
});

export const toConfig = (row: ConfigEntity, version: ConfigVersionEntity): ConfigAnswer => ({
  ...toConfigItem(row),
  config: JSON.stringify(version.content),
  format: 'json',
  type: 'ORG_CONFIG',
  version_id: version.id,
  version: version.number,
});

/** A version of a config: the config's own fields, and who wrote this version when. */
export const toConfigVersion = (row: ConfigEntity, version: ConfigVersionEntity): ConfigAnswer => ({
  ...toConfig(row, version),
  updated_by: version.createdBy,
  last_updated_at: version.createdAt.toISOString(),
});
