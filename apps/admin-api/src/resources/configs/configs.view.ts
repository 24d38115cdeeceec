import type { ConfigEntity, ConfigVersionEntity } from '@gw/entities';
import { ResponseField, RowResponse, viewOf } from '@gw/web';
import { UsedByResponse } from '../../platform/rows/used-by.queries';

export class ConfigItemResponse extends RowResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'Search team' }) readonly name!: string;
  @ResponseField.text({ example: 'search-team' }) readonly slug!: string;
  @ResponseField.uuid() readonly organisation_id!: string;
  @ResponseField.uuid() readonly workspace_id!: string;
  @ResponseField.bit() readonly is_default!: 0 | 1;
  @ResponseField.oneOf(['active', 'archived']) readonly status!: 'active' | 'archived';
  @ResponseField.uuid({ nullable: true }) readonly owner_id!: string | null;
  @ResponseField.text({ nullable: true }) readonly updated_by!: string | null;
  @ResponseField.one(() => UsedByResponse, {
    optional: true,
    description: 'Only present in a list with include_used_by.',
  })
  readonly used_by?: UsedByResponse;
  @ResponseField.kind('config') readonly object!: 'config';
}

export class ConfigResponse extends ConfigItemResponse {
  @ResponseField.text({ description: 'The content as JSON text.' }) readonly config!: string;
  @ResponseField.oneOf(['json']) readonly format!: 'json';
  @ResponseField.oneOf(['ORG_CONFIG']) readonly type!: 'ORG_CONFIG';
  @ResponseField.uuid() readonly version_id!: string;
  @ResponseField.integer({ description: 'Version number; the first is 1.', example: 1 })
  readonly version!: number;
}

export const toConfigItem = (row: ConfigEntity): ConfigItemResponse =>
  viewOf(ConfigItemResponse, row, { is_default: row.isDefault ? 1 : 0, object: 'config' });

export const toConfig = (row: ConfigEntity, version: ConfigVersionEntity): ConfigResponse => ({
  ...toConfigItem(row),
  config: JSON.stringify(version.content),
  format: 'json',
  type: 'ORG_CONFIG',
  version_id: version.id,
  version: version.number,
});

/** Returns a version with the fields of its config and the version's author and time. */
export const toConfigVersion = (row: ConfigEntity, version: ConfigVersionEntity): ConfigResponse => ({
  ...toConfig(row, version),
  updated_by: version.createdBy,
  last_updated_at: version.createdAt.toISOString(),
});
