import {
  BooleanField,
  DateField,
  MapField,
  NameField,
  NestedField,
  NestedListField,
  pageOf,
  ReferenceField,
  SlugField,
  TextField,
} from '@gw/web';
import { ApiProperty } from '@nestjs/swagger';
import { IncludeUsedBy } from '../../platform/rows/used-by.queries';
import { BY_NAME, searchable, type OrderField } from '../../platform/resource/list-order';
import { RateLimitDto, UsageLimitDto } from '../../platform/limits/limits.dto';

/** Options of the `workspace_id` in bodies and queries of providers and virtual keys. */
export const WORKSPACE = {
  optional: true,
  description: 'Required with a credential of the whole organisation.',
} as const;

/** Fields by which lists of providers and virtual keys can be ordered. */
export const BY_LIFE: readonly OrderField[] = [...BY_NAME, 'expires_at'];

/** Writable fields that providers and virtual keys share. */
export class ProviderFieldsDto {
  @TextField({ optional: true, nullable: true, min: 0, max: 4_096 }) note?: string | null;
  @NestedField(() => UsageLimitDto, {
    optional: true,
    nullable: true,
    example: { type: 'cost', credit_limit: 100, periodic_reset: 'monthly' },
  })
  usage_limits?: UsageLimitDto | null;
  @NestedListField(() => RateLimitDto, {
    optional: true,
    nullable: true,
    maxItems: 10,
    example: [{ type: 'requests', unit: 'rpm', value: 600 }],
  })
  rate_limits?: RateLimitDto[] | null;
  @DateField({ optional: true, nullable: true, example: '2030-01-01T00:00:00.000Z' })
  expires_at?: string | null;
  @MapField({ optional: true, nullable: true, valueMax: 255, example: { team: 'search' } })
  tags?: Record<string, string> | null;
}

export class CreateProviderDto extends ProviderFieldsDto {
  @NameField({ example: 'OpenAI production' }) name!: string;
  @ReferenceField({ description: 'Slug or id of an integration of the workspace.', example: 'openai-prod' })
  integration_id!: string;
  @SlugField({ optional: true, description: 'Default: derived from the name.', example: 'openai-prod' })
  slug?: string;
  @ReferenceField(WORKSPACE) workspace_id?: string;
}

export class UpdateProviderDto extends ProviderFieldsDto {
  @NameField({ optional: true, example: 'OpenAI production' }) name?: string;
  @BooleanField({ optional: true, description: 'True resets the usage to zero.' })
  reset_usage?: boolean;
  @ReferenceField(WORKSPACE) workspace_id?: string;
}

export class ListProvidersQuery extends searchable(pageOf({ size: 50 }), BY_LIFE) {
  @IncludeUsedBy() include_used_by?: boolean;
  @ReferenceField(WORKSPACE) workspace_id?: string;
  @TextField({
    optional: true,
    max: 4_096,
    description: 'A JSON object of strings. Each of its tags must match.',
  })
  tags?: string;
}

export class CreatedProviderResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ example: 'openai-prod' }) slug!: string;
}
