import type { ExportSettings } from '@gw/entities';
import { LOG_EXPORT_FIELDS } from '@gw/log-store';
import { ResponseField, EnumListField } from '@gw/web';

export class ExportSettingsDto {
  @EnumListField(LOG_EXPORT_FIELDS, {
    optional: true,
    nullable: true,
    maxItems: LOG_EXPORT_FIELDS.length,
    description: 'Fields that log exports may not contain. Null resets the setting.',
  })
  deniedFields?: string[] | null;
}

export class ExportSettingsResponse {
  @ResponseField.texts({
    nullable: true,
    description: 'Null when the setting of the organisation applies.',
    example: ['metadata'],
  })
  readonly deniedFields!: readonly string[] | null;
}

/** Returns the settings in stored form; undefined when the input does not change them. */
export function toStoredExportSettings(input: ExportSettingsDto | undefined): ExportSettings | undefined {
  const denied = input?.deniedFields;
  if (denied === undefined) return undefined;
  return denied === null ? {} : { deniedFields: denied };
}
