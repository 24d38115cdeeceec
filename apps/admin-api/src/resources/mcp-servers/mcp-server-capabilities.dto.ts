import type { McpCapabilityEntity } from '@gw/entities';
import { own, type JsonObject } from '@gw/mcp';
import {
  BooleanField,
  EnumField,
  NestedListField,
  QueryIntegerField,
  ResponseField,
  TextField,
} from '@gw/web';

export const SHOWN_TYPES = ['tool', 'prompt', 'resource', 'resource_template'] as const;
export type ShownType = (typeof SHOWN_TYPES)[number];

/** A page of a list of an MCP server, counted from 1. */
export class McpServerPage {
  @QueryIntegerField({ min: 1, max: 1_000_000, fallback: 1, description: 'Page, counted from 1.' })
  page!: number;
  @QueryIntegerField({ min: 1, max: 500, fallback: 100 }) page_size!: number;
}

/** The page as `listRows` counts it. */
export const pageFromZero = ({ page, page_size }: McpServerPage) => ({ current_page: page - 1, page_size });

export class McpServerCapabilitiesQuery extends McpServerPage {
  @EnumField(SHOWN_TYPES, { optional: true }) type?: ShownType;
}

class McpServerSwitchDto {
  @TextField({ max: 2_048, description: 'The name, the URI or the URI template.', example: 'search' })
  name!: string;
  @EnumField(SHOWN_TYPES, { example: 'tool' }) type!: ShownType;
  @BooleanField() enabled!: boolean;
}

export class UpdateMcpServerCapabilitiesDto {
  @NestedListField(() => McpServerSwitchDto, { minItems: 1, maxItems: 5_000 })
  capabilities!: McpServerSwitchDto[];
}

/** The texts come from the upstream server, as they were approved. */
export class McpServerCapabilityResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'search' }) readonly name!: string;
  @ResponseField.oneOf(SHOWN_TYPES) readonly type!: string;
  @ResponseField.text({ nullable: true, example: 'Search' }) readonly title!: string | null;
  @ResponseField.text({ nullable: true, example: 'Finds pages.' }) readonly description!: string | null;
  @ResponseField.any() readonly icons!: unknown;
  @ResponseField.boolean({ description: 'Whether callers of this server see it.' })
  readonly enabled!: boolean;
  @ResponseField.boolean({ description: 'False: the integration does not offer it to any server.' })
  readonly integration_enabled!: boolean;
  @ResponseField.any() readonly input_schema!: unknown;
  @ResponseField.any() readonly output_schema!: unknown;
  @ResponseField.any() readonly execution!: unknown;
  @ResponseField.any() readonly annotations!: unknown;
  @ResponseField.any() readonly arguments!: unknown;
  @ResponseField.text({ nullable: true, example: 'file:///readme' }) readonly uri!: string | null;
  @ResponseField.text({ nullable: true, example: 'file:///{path}' }) readonly uri_template!: string | null;
  @ResponseField.text({ nullable: true, example: 'text/plain' }) readonly mime_type!: string | null;
  @ResponseField.any() readonly size!: unknown;
}

class McpServerCountResponse {
  @ResponseField.integer({ example: 1 }) readonly total!: number;
  @ResponseField.integer({ example: 1 }) readonly enabled!: number;
}

export class McpServerCountsResponse {
  @ResponseField.one(() => McpServerCountResponse) readonly tools!: McpServerCountResponse;
  @ResponseField.one(() => McpServerCountResponse) readonly prompts!: McpServerCountResponse;
  @ResponseField.one(() => McpServerCountResponse) readonly resources!: McpServerCountResponse;
  @ResponseField.one(() => McpServerCountResponse) readonly resource_templates!: McpServerCountResponse;
}

export class McpServerCapabilitiesResponse {
  @ResponseField.list(() => McpServerCapabilityResponse) readonly data!: McpServerCapabilityResponse[];
  @ResponseField.one(() => McpServerCountsResponse) readonly counts!: McpServerCountsResponse;
  @ResponseField.integer({ example: 1 }) readonly total!: number;
  @ResponseField.boolean() readonly has_more!: boolean;
}

function textOf(definition: JsonObject, name: string): string | null {
  const value = own(definition, name);
  return typeof value === 'string' ? value : null;
}

/** `isOn`: the server has not switched it off. */
export function toServerCapability(row: McpCapabilityEntity, isOn: boolean): McpServerCapabilityResponse {
  const { id, name, type, enabled: integration_enabled } = row;
  const definition = row.approved ?? {};
  const value = (member: string): unknown => own(definition, member) ?? null;
  return {
    ...{ id, name, type, enabled: integration_enabled && isOn, integration_enabled },
    title: textOf(definition, 'title'),
    description: textOf(definition, 'description'),
    icons: value('icons'),
    input_schema: value('inputSchema'),
    output_schema: value('outputSchema'),
    execution: value('execution'),
    annotations: value('annotations'),
    arguments: value('arguments'),
    uri: textOf(definition, 'uri'),
    uri_template: textOf(definition, 'uriTemplate'),
    mime_type: textOf(definition, 'mimeType'),
    size: value('size'),
  };
}
