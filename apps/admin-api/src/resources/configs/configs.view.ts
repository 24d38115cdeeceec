import type { ConfigEntity, ConfigVersionEntity } from '@gw/entities';
import { Answer, RowAnswer, rowFields } from '@gw/web';

export class ConfigItemAnswer extends RowAnswer {
  @Answer.uuid() readonly id!: string;
  @Answer.text({ example: 'Search team' }) readonly name!: string;
  @Answer.text({ example: 'search-team' }) readonly slug!: string;
  @Answer.uuid() readonly organisation_id!: string;
  @Answer.uuid() readonly workspace_id!: string;
  @Answer.bit() readonly is_default!: 0 | 1;
  @Answer.oneOf(['active', 'archived']) readonly status!: 'active' | 'archived';
  @Answer.uuid({ nullable: true }) readonly owner_id!: string | null;
  @Answer.text({ nullable: true }) readonly updated_by!: string | null;
  @Answer.kind('config') readonly object!: 'config';
}

export class ConfigAnswer extends ConfigItemAnswer {
  @Answer.text({ description: 'JSON text.' }) readonly config!: string;
  @Answer.oneOf(['json']) readonly format!: 'json';
  @Answer.oneOf(['ORG_CONFIG']) readonly type!: 'ORG_CONFIG';
  @Answer.uuid() readonly version_id!: string;
  @Answer.integer({ description: '1 is the first.', example: 1 }) readonly version!: number;
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
  ...rowFields(row),
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
