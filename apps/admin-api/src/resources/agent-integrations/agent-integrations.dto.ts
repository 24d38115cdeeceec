import { GatewayError } from '@gw/kernel';
import {
  BooleanField,
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

export const AGENT_AUTH_TYPES = ['none', 'headers', 'oauth_client_credentials'] as const;
export const PROTOCOLS = ['auto', '0.3', '1.0'] as const;
export const BINDING_CHOICES = ['auto', 'JSONRPC', 'HTTP+JSON'] as const;
export const PUSH_MODES = ['relay', 'emulate', 'off'] as const;

const OWN = 'Must be the organisation of the credential.';

/** Declares a binding. `GRPC` is refused with a message that names the alternatives. */
const BindingField = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => {
      if (value === 'GRPC') throw new GatewayError('agent_transport_unsupported', { param: 'binding' });
      return value;
    }),
    EnumField(BINDING_CHOICES, {
      optional: true,
      description: 'auto prefers JSONRPC to HTTP+JSON among the interfaces on the card.',
      example: 'auto',
    }),
  );

/** Nullable fields that are stored in columns of the same name. */
export class AgentPlainFields extends UpstreamLabelFields {
  @TextField({ optional: true, nullable: true, min: 0, max: 1_024 }) description?: string | null;
  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    max: 900_000,
    description: 'Timeout in milliseconds for a call without a stream. Null: 120000.',
  })
  timeout_ms?: number | null;
  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    max: 1_000_000,
    description: 'Maximum number of messages of one context per hour. Null: no limit.',
  })
  messages_per_context_hour?: number | null;
}

/**
 * Fields that are stored in columns of the same name. Those declared in this class have a default.
 */
export class AgentSavedFields extends AgentPlainFields {
  @NameField({ optional: true, description: 'Default: the name on the card.', example: 'Travel agent' })
  name?: string;
  @TextField({
    optional: true,
    max: 2_048,
    description:
      'Address of the agent; its card is read from /.well-known/agent-card.json below it. Default with agent_card: the `url` of the card.',
    example: 'https://agent.example.com',
  })
  url?: string;
  @EnumField(AGENT_AUTH_TYPES, {
    optional: true,
    example: 'headers',
    description: 'How Tollgate authenticates at the agent. Default: none.',
  })
  auth_type?: (typeof AGENT_AUTH_TYPES)[number];
  @EnumField(PROTOCOLS, {
    optional: true,
    description: 'A2A version for calls. auto prefers 1.0 to 0.3 among the interfaces on the card.',
    example: 'auto',
  })
  protocol?: (typeof PROTOCOLS)[number];
  @BindingField() binding?: (typeof BINDING_CHOICES)[number];
  @EnumField(PUSH_MODES, {
    optional: true,
    description:
      'Notifications about tasks. relay, the default, forwards those that the agent sends; emulate makes Tollgate poll the agent.',
    example: 'relay',
  })
  push?: (typeof PUSH_MODES)[number];
  @BooleanField({
    optional: true,
    description:
      'True: the card may name addresses on other origins, to which credentials are then sent. Default: false.',
  })
  allow_other_origin?: boolean;
}

export class AgentPricingDto {
  @NumberField({
    optional: true,
    min: 0,
    max: 1_000,
    description: 'Price in USD of each message to which the agent responds. Default: 0.',
    example: 0.001,
  })
  per_message_usd?: number;
  @NumberField({
    optional: true,
    min: 0,
    max: 1_000,
    description: 'Price in USD of each task that the agent begins. Default: 0.',
    example: 0.01,
  })
  per_task_usd?: number;
}

class AgentIntegrationFields extends AgentSavedFields {
  @ObjectField({
    optional: true,
    nullable: true,
    description:
      'A card of version 0.3 or 1.0, used in place of the card at the address. In an update, null makes Tollgate read the card from the address again.',
    example: { name: 'Travel agent', url: 'https://agent.example.com/rpc', skills: [] },
  })
  agent_card?: Record<string, unknown> | null;
  @ObjectField({
    optional: true,
    nullable: true,
    description:
      'A key set (RFC 7517). A card with a wrong signature is refused; a card that none of the keys has signed waits for approval.',
    example: { keys: [] },
  })
  trusted_keys?: { readonly keys?: unknown } | null;
  @TextField({
    optional: true,
    nullable: true,
    max: 2_048,
    description:
      'Address of a key set, used in place of trusted_keys. It is read with each card, without a credential.',
    example: 'https://agent.example.com/.well-known/jwks.json',
  })
  trusted_keys_url?: string | null;
  @ObjectField({
    optional: true,
    nullable: true,
    description:
      'headers (values are secret), passthrough_headers with passthrough_acknowledged, forward_headers, ' +
      'user_identity_forwarding, oauth_client_credentials. ' +
      'In an update, an absent member remains unchanged, and null clears a member.',
    example: { headers: { authorization: 'Bearer …' } },
  })
  configurations?: Record<string, unknown> | null;
  @NestedListField(() => SecretMappingDto, {
    optional: true,
    nullable: true,
    description: 'Targets are `headers.<name>` and `client_secret`.',
  })
  secret_mappings?: SecretMappingDto[] | null;
  @EnumField(APPROVAL_MODES, {
    optional: true,
    description:
      'Which skills wait for approval. Default: auto for an integration of a workspace, review_changes for one of the organisation.',
  })
  approval_mode?: (typeof APPROVAL_MODES)[number];
  @EnumField(ON_CHANGE, {
    optional: true,
    description:
      'Behaviour for a changed skill: block hides it, serve_approved keeps its approved form. Default: block.',
  })
  on_change?: (typeof ON_CHANGE)[number];
  @NestedField(() => AgentPricingDto, { optional: true, nullable: true }) pricing?: AgentPricingDto | null;
}

export class CreateAgentIntegrationDto extends AgentIntegrationFields {
  @SlugField({ optional: true, description: 'Default: derived from the name.', example: 'travel' })
  slug?: string;
  @ReferenceField({
    optional: true,
    description: 'When present, only this workspace can use the integration.',
  })
  workspace_id?: string;
  @UuidField({ optional: true, description: OWN }) organisation_id?: string;
}

export class UpdateAgentIntegrationDto extends partialOf(AgentIntegrationFields) {}

export class ListAgentIntegrationsQuery extends labelled(pageOf({ size: 100 })) {
  @UuidField({ optional: true, description: OWN }) organisation_id?: string;
  @ReferenceField({ optional: true }) workspace_id?: string;
  @QueryEnumListField(['workspace', 'organisation', 'all'], { description: 'Default: all.' })
  type?: ('workspace' | 'organisation' | 'all')[];
  @TextField({ optional: true, description: 'Text that the name or slug must contain.' }) search?: string;
}

export class CreatedAgentIntegrationResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'travel' }) readonly slug!: string;
}
