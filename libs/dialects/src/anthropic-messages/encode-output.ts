import { pathOf, type JsonObject, type ModelCall, type OutputFormat } from '../call';
import type { LossLedger } from '../losses';
import { closedSchema } from '../schema/anthropic-schema';
import type { Target } from '../target';

/**
 * Name of the tool whose arguments are the output, for models that do not support output schemas.
 */
export const OUTPUT_TOOL = 'json_output';

export interface EncodedOutput {
  /** `output_config.format`. */
  readonly format?: JsonObject;
  /** The output tool, which is then the only tool and must be called. */
  readonly tool?: JsonObject;
}

/**
 * Encodes the format of the output. A model that does not support output schemas gets a tool that
 * it must call with the output.
 */
export function encodeOutput(call: ModelCall, target: Target, losses: LossLedger): EncodedOutput {
  const { output } = call;
  const path = pathOf(call, 'output');
  switch (output?.kind) {
    case undefined:
    case 'text':
      return {};
    case 'json':
      losses.refuse(path, 'Anthropic has no JSON output without a schema; send a JSON Schema.');
      return {};
    case 'grammar':
      losses.refuse(path, 'Anthropic has no grammars of the output.');
      return {};
    case 'schema':
      return target.capabilities.jsonSchema
        ? schemaFormat(output.schema, path, losses)
        : outputTool(output, call, path, losses);
  }
}

function schemaFormat(schema: JsonObject, path: string, losses: LossLedger): EncodedOutput {
  const closed = closedSchema(schema);
  if ('refused' in closed) {
    losses.refuse(path, closed.refused);
    return {};
  }
  if (closed.relaxed) losses.note(path, 'relaxed');
  return { format: { type: 'json_schema', schema: closed.schema } };
}

function outputTool(
  output: Extract<OutputFormat, { kind: 'schema' }>,
  call: ModelCall,
  path: string,
  losses: LossLedger,
): EncodedOutput {
  const { schema, description } = output;
  if ((call.tools ?? []).length > 0) {
    losses.refuse(path, 'The model takes a schema of the output only in a request without tools.');
    return {};
  }
  if (schema['type'] !== 'object') {
    losses.refuse(path, 'The model takes only objects as output with a schema.');
    return {};
  }
  losses.note(path, 'approximated', `tool ${OUTPUT_TOOL}`);
  return {
    tool: {
      name: OUTPUT_TOOL,
      description: description ?? 'Responds to the user. The arguments are the response.',
      input_schema: schema,
    },
  };
}
