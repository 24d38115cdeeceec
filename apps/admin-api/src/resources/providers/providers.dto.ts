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
import { RateLimitDto, UsageLimitDto } from '../../platform/limits/limits.dto';

/** What providers and virtual keys have in common. */
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
  @SlugField({ optional: true, description: 'Made of the name when absent.', example: 'openai-prod' })
  slug?: string;
  @ReferenceField({ optional: true, description: 'Needed with a credential of the whole organisation.' })
  workspace_id?: string;
}

export class UpdateProviderDto extends ProviderFieldsDto {
  @NameField({ optional: true, example: 'OpenAI production' }) name?: string;
  @BooleanField({ optional: true, description: 'True: the usage starts at zero again.' })
  reset_usage?: boolean;
  @ReferenceField({ optional: true, description: 'Needed with a credential of the whole organisation.' })
  workspace_id?: string;
}

export class ListProvidersQuery extends pageOf({ size: 50 }) {
  @ReferenceField({ optional: true, description: 'Needed with a credential of the whole organisation.' })
  workspace_id?: string;
  @TextField({ optional: true, max: 4_096, description: 'JSON object of texts: every tag must match.' })
  tags?: string;
}

export class CreatedProviderDto {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ example: 'openai-prod' }) slug!: string;
}
