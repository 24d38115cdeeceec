import {
  fromJsonSchema,
  type CallToolResult,
  type InputRequiredResult,
  type McpServer,
  type RegisteredTool,
  type ServerContext,
  type ToolAnnotations,
} from '@modelcontextprotocol/server';
import type { FixtureState } from './fixture-state';

export type Arguments = Readonly<Record<string, unknown>>;
export type JsonSchema = Record<string, unknown>;
type ToolResult = CallToolResult | InputRequiredResult;

export interface ToolDefinition {
  readonly description: string;
  readonly inputSchema?: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: ToolAnnotations;
  readonly run: (args: Arguments, ctx: ServerContext) => ToolResult | Promise<ToolResult>;
}

export type Tools = Readonly<Record<string, ToolDefinition>>;

export const text = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] });

/** Returns the schema of an object whose listed properties are all required. */
export const objectOf = (
  properties: Record<string, JsonSchema>,
): JsonSchema & { readonly type: 'object' } => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

/** Returns a string argument; an empty text if it is absent, for tools whose schema requires it. */
export const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Registers the tools with the changes of the fixture's state. */
export function registerTools(
  server: McpServer,
  tools: Tools,
  { changes }: FixtureState,
): Map<string, RegisteredTool> {
  const registered = new Map<string, RegisteredTool>();
  for (const [name, tool] of Object.entries(tools)) {
    const change = changes.get(name) ?? {};
    const { inputSchema = { type: 'object' }, outputSchema, run } = tool;
    const { description = tool.description, annotations = tool.annotations, enabled = true } = change;
    const handle = server.registerTool(
      name,
      {
        description,
        inputSchema: fromJsonSchema<Arguments>(inputSchema),
        ...(outputSchema === undefined ? {} : { outputSchema: fromJsonSchema(outputSchema) }),
        ...(annotations === undefined ? {} : { annotations }),
      },
      (args, ctx) => run(args, ctx),
    );
    if (!enabled) handle.disable();
    registered.set(name, handle);
  }
  return registered;
}
