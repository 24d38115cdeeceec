import type { ExportSettings } from '@gw/entities';
import { LOG_EXPORT_FIELDS } from '@gw/log-store';
import { ResponseField, EnumListField } from '@gw/web';

export class ExportSettingsDto {
  @EnumListField(LOG_EXPORT_FIELDS, {
    optional: true,
    nullable: true,
    maxItems: LOG_EXPORT_FIELDS.length,
    description: 'Fields that no export of logs may hold. Null: as if it had never been said.',
  })
  deniedFields?: string[] | null;
}

export class ExportSettingsResponse {
  @ResponseField.texts({
    nullable: true,
    description: 'Null: as the organisation says.',
    example: ['metadata'],
  })
  readonly deniedFields!: readonly string[] | null;
}

/** Undefined: nothing is said of it. */
export function toStoredExportSettings(input: ExportSettingsDto | undefined): ExportSettings | undefined {
  const denied = input?.deniedFields;
  if (denied === undefined) return undefined;
  return denied === null ? {} : { deniedFields: denied };
}
