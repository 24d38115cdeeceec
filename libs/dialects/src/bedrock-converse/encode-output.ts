import { pathOf, type JsonObject, type OutputFormat } from '../call';
import { OUTPUT_TOOL } from '../anthropic-messages/encode-output';
import { invalid } from '../losses';
import { closedSchema } from '../schema/anthropic-schema';
import { compact, writtenJson } from '../values/json';
import type { MediaFacts } from './encode-media';

export interface EncodedOutput {
  readonly outputConfig?: JsonObject;
  /** The tools with the only one, which the model must call. */
  readonly toolConfig?: JsonObject;
}

type Schema = Extract<OutputFormat, { kind: 'schema' }>;

/**
 * Encodes the format of the output. A model without schemas gets a tool that it must call with the
 * output.
 */
export function encodeOutput(facts: MediaFacts, hasToolBlocks: boolean): EncodedOutput {
  const { call, losses, model } = facts;
  const { output } = call;
  const path = pathOf(call, 'output');
  switch (output?.kind) {
    case undefined:
    case 'text':
      return {};
    case 'json':
      losses.refuse(path, 'Bedrock has no JSON output without a schema; send a JSON Schema.');
      return {};
    case 'grammar':
      losses.refuse(path, 'Bedrock cannot restrict its output to a grammar; use a JSON schema.');
      return {};
    case 'schema':
      return model.textFormat ? textFormat(output, facts) : outputTool(output, facts, hasToolBlocks);
  }
}

function textFormat(
  { schema, name, description }: Schema,
  { call, losses, model }: MediaFacts,
): EncodedOutput {
  const path = pathOf(call, 'output');
  const closed = model.family === 'claude' ? closedSchema(schema) : { schema, relaxed: false };
  if ('refused' in closed) {
    losses.refuse(path, closed.refused);
    return {};
  }
  if (closed.relaxed) losses.note(path, 'relaxed');
  const text = writtenJson(closed.schema);
  if (text === null) throw invalid(path, 'The schema is nested too deep.');
  const jsonSchema = compact({ schema: text, name, description });
  return { outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema } } } };
}

function outputTool(
  { schema, description }: Schema,
  facts: MediaFacts,
  hasToolBlocks: boolean,
): EncodedOutput {
  const { call, losses, model } = facts;
  const path = pathOf(call, 'output');
  const refusal =
    (call.tools ?? []).length > 0 || hasToolBlocks
      ? 'The model takes a schema of the output only in a request without tools.'
      : model.toolChoice === 'auto'
        ? 'The model takes no schema of the output.'
        : schema['type'] !== 'object'
          ? 'The model takes only objects as output with a schema.'
          : null;
  if (refusal !== null) {
    losses.refuse(path, refusal);
    return {};
  }
  losses.note(path, 'approximated', `tool ${OUTPUT_TOOL}`);
  const toolSpec = {
    name: OUTPUT_TOOL,
    description: description ?? 'Responds to the user. The arguments are the response.',
    inputSchema: { json: schema },
  };
  const toolChoice = model.toolChoice === 'all' ? { tool: { name: OUTPUT_TOOL } } : { any: {} };
  return { toolConfig: { tools: [{ toolSpec }], toolChoice } };
}
