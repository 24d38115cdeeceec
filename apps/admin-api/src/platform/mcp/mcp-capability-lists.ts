import { LISTED_TYPES, own, type JsonObject, type ListedType } from '@gw/mcp';
import { EnumField, ResponseField } from '@gw/web';
import { UpstreamPage } from '../upstreams/upstream-page';

export class McpCapabilitiesQuery extends UpstreamPage {
  @EnumField(LISTED_TYPES, { optional: true }) type?: ListedType;
}

class McpCountResponse {
  @ResponseField.integer({ example: 1 }) readonly total!: number;
  @ResponseField.integer({ example: 1 }) readonly enabled!: number;
}

export class McpCountsResponse {
  @ResponseField.one(() => McpCountResponse) readonly tools!: McpCountResponse;
  @ResponseField.one(() => McpCountResponse) readonly prompts!: McpCountResponse;
  @ResponseField.one(() => McpCountResponse) readonly resources!: McpCountResponse;
  @ResponseField.one(() => McpCountResponse) readonly resource_templates!: McpCountResponse;
}

/** Definition of a capability as the upstream server wrote it, for responses. */
export class McpDefinitionResponse {
  @ResponseField.text({ nullable: true, example: 'Search' }) readonly title!: string | null;
  @ResponseField.text({ nullable: true, example: 'Finds pages.' }) readonly description!: string | null;
  @ResponseField.any() readonly icons!: unknown;
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

export function textOf(definition: JsonObject, name: string): string | null {
  const value = own(definition, name);
  return typeof value === 'string' ? value : null;
}

export function toMcpDefinition(definition: JsonObject): McpDefinitionResponse {
  const value = (name: string): unknown => own(definition, name) ?? null;
  return {
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
