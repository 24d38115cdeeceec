import type { McpAuthType } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import {
  EnumField,
  IntegerField,
  NameField,
  NestedField,
  NestedListField,
  NumberField,
  ObjectField,
  pageOf,
  partialOf,
  QueryEnumListField,
  ReferenceField,
  ResponseField,
  SlugField,
  TextField,
  UuidField,
} from '@gw/web';
import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { SecretMappingDto } from '../../platform/credentials/secret-mappings';
import { APPROVAL_MODES, ON_CHANGE } from '../../platform/upstreams/approval-choices';
import { labelled, UpstreamLabelFields } from '../../platform/upstreams/upstream-labels';

export const AUTH_TYPES: readonly McpAuthType[] = [
  'none',
  'headers',
  'oauth_auto',
  'oauth_client_credentials',
  'aws_sigv4',
  'token_exchange',
  'id_jag',
];
export const TRANSPORTS = ['http', 'sse'] as const;

const OWN = 'Must be the organisation of the credential.';

/** Declares a transport. `stdio` is refused with a message that names an alternative. */
const TransportField = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => {
      if (value === 'stdio') throw new GatewayError('mcp_transport_unsupported', { param: 'transport' });
      return value;
    }),
    EnumField(TRANSPORTS, { example: 'http' }),
  );

/** Fields that are stored in columns of the same name. */
export class McpPlainFields extends UpstreamLabelFields {
  @NameField({ example: 'GitHub' }) name!: string;
  @TextField({ optional: true, nullable: true, min: 0, max: 1_024 }) description?: string | null;
  @TextField({ max: 2_048, example: 'https://mcp.example.com/mcp' }) url!: string;
  @EnumField(AUTH_TYPES, { example: 'headers', description: 'How Tollgate authenticates at the server.' })
  auth_type!: McpAuthType;
  @TransportField() transport!: (typeof TRANSPORTS)[number];
  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    max: 900_000,
    description: 'Timeout of a call in milliseconds. Null: 120000.',
  })
  timeout_ms?: number | null;
}

export class McpPricingDto {
  @NumberField({
    optional: true,
    min: 0,
    max: 1_000,
    description: 'Price in USD of a call of a tool without a price of its own. Default: 0.',
    example: 0.001,
  })
  default_usd?: number;
  @ObjectField({
    optional: true,
    description: "Price in USD of each call, by the server's name of the tool.",
    example: { search: 0.0025 },
  })
  tools?: Record<string, unknown>;
}

class McpIntegrationFields extends McpPlainFields {
  @ObjectField({
    optional: true,
    nullable: true,
    description:
      'headers (values are secret), passthrough_headers with passthrough_acknowledged, forward_headers, ' +
      'user_identity_forwarding, allow_sampling, sampling, retry_idempotent, denial, oauth_client_credentials, ' +
      'oauth_metadata, token_exchange, id_jag, aws_sigv4. ' +
      'In an update, an absent member remains unchanged, and null clears a member.',
    example: { headers: { authorization: 'Bearer …' } },
  })
  configurations?: Record<string, unknown> | null;
  @NestedListField(() => SecretMappingDto, {
    optional: true,
    nullable: true,
    description:
      'Targets are `headers.<name>`, `client_secret`, `private_key`, `secret_access_key` and `server_client_secret`.',
  })
  secret_mappings?: SecretMappingDto[] | null;
  @EnumField(APPROVAL_MODES, {
    optional: true,
    description:
      'Which capabilities wait for approval. Default: auto for an integration of a workspace, review_changes for one of the organisation.',
  })
  approval_mode?: (typeof APPROVAL_MODES)[number];
  @EnumField(ON_CHANGE, {
    optional: true,
    description:
      'Behaviour for a changed capability: block hides it, serve_approved keeps its approved form. Default: block.',
  })
  on_change?: (typeof ON_CHANGE)[number];
  @NestedField(() => McpPricingDto, { optional: true, nullable: true }) pricing?: McpPricingDto | null;
}

export class CreateMcpIntegrationDto extends McpIntegrationFields {
  @SlugField({ optional: true, description: 'Default: derived from the name.', example: 'github' })
  slug?: string;
  @ReferenceField({
    optional: true,
    description: 'When present, only this workspace can use the integration.',
  })
  workspace_id?: string;
  @UuidField({ optional: true, description: OWN }) organisation_id?: string;
}

export class UpdateMcpIntegrationDto extends partialOf(McpIntegrationFields) {}

export class ListMcpIntegrationsQuery extends labelled(pageOf({ size: 100 })) {
  @UuidField({ optional: true, description: OWN }) organisation_id?: string;
  @ReferenceField({ optional: true }) workspace_id?: string;
  @QueryEnumListField(['workspace', 'organisation', 'all'], { description: 'Default: all.' })
  type?: ('workspace' | 'organisation' | 'all')[];
  @TextField({ optional: true, description: 'Text that the name or slug must contain.' }) search?: string;
}

export class CreatedMcpIntegrationResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'github' }) readonly slug!: string;
}
