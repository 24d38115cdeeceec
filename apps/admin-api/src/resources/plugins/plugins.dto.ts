import {
  ResponseField,
  EnumField,
  MapField,
  NameField,
  pageOf,
  pickOf,
  RowResponse,
  TextField,
  UuidField,
  viewOf,
} from '@gw/web';
import type { PluginEntity } from '@gw/entities';

const PROVIDER = { optional: true, max: 64, pattern: /^[a-z0-9][a-z0-9_-]*$/, example: 'patronus' } as const;
const CREDENTIALS = {
  maxEntries: 20,
  valueMax: 8_192,
  description: 'Credentials of the account. They are not shown again.',
  example: { apiKey: 'secret' },
} as const;

export class CreatePluginDto {
  @TextField({ ...PROVIDER, description: 'Id of the partner, which is the prefix of the ids of its checks.' })
  plugin_provider_id?: string;
  @TextField({ ...PROVIDER, description: 'Alias of plugin_provider_id.' }) integration_id?: string;
  @NameField({ optional: true, description: 'Default: the id of the partner.' }) name?: string;
  @MapField(CREDENTIALS) credentials!: Record<string, string>;
  @UuidField({ optional: true, description: 'Must be the caller’s own organisation.' })
  organisation_id?: string;
}

export class UpdatePluginDto {
  @NameField({ optional: true }) name?: string;
  @EnumField(['active', 'archived'], { optional: true }) status?: 'active' | 'archived';
  @MapField({ optional: true, ...CREDENTIALS }) credentials?: Record<string, string>;
}

export class ListPluginsQuery extends pageOf({ size: 100 }) {
  @UuidField({ optional: true, description: 'Must be the caller’s own organisation.' })
  organisation_id?: string;
}

export class PluginResponse extends RowResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'patronus' }) readonly slug!: string;
  @ResponseField.text({ example: 'patronus' }) readonly plugin_provider_id!: string;
  @ResponseField.text({ example: 'Patronus' }) readonly name!: string;
  @ResponseField.oneOf(['active', 'archived']) readonly status!: string;
  @ResponseField.map({ description: 'Masked credentials.', example: { apiKey: '*****' } })
  readonly credentials!: Readonly<Record<string, string>>;
  @ResponseField.kind('plugin') readonly object!: 'plugin';
}

export class CreatedPluginResponse extends pickOf(PluginResponse, 'id', 'slug') {}

export const toPlugin = (row: PluginEntity): PluginResponse =>
  viewOf(PluginResponse, row, {
    slug: row.pluginProviderId,
    credentials: row.maskedCredentials,
    object: 'plugin',
  });
