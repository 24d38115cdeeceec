import { OUTPUT_TOOL } from '../anthropic-messages/encode-output';
import { withoutToolUse } from '../anthropic-messages/finish';
import type { JsonObject, Part } from '../call';
import type { ProviderContext } from '../codec';
import type { Candidate, ModelResponse } from '../response';
import { asArray, asObject, asString, writtenJson, objectsOf, optional } from '../values/json';
import { answerInvalid } from '../values/tool-arguments';
import { decodeFinish } from './finish';
import { modelOf } from './models';
import {
  citedText,
  decodeCitation,
  hostedCall,
  hostedResult,
  isHosted,
  redacted,
  signed,
} from './response-blocks';
import { decodeUsage } from './usage';

/**
 * Decodes a Converse response. Throws `provider_answer_invalid` for a body without a message, or a
 * response that the model malformed.
 */
export function decodeResponse(body: JsonObject, context: ProviderContext): ModelResponse {
  const content = asArray(asObject(asObject(body['output'])?.['message'])?.['content']);
  if (content === null) throw answerInvalid('The body has no message with content.');
  const reader = new ContentReader(context);
  for (const block of objectsOf(content)) reader.add(block);
  const tier = asString(asObject(body['serviceTier'])?.['type']);
  return {
    id: responseId(context),
    model: '',
    created: context.createdAt,
    candidates: [candidateOf(body, reader)],
    ...optional('usage', decodeUsage(body['usage'])),
    ...optional('serviceTier', tier ?? undefined),
  };
}

/** Returns Bedrock's id of the request; '' when it is missing. */
export const responseId = ({ headers }: ProviderContext): string => headers?.['x-amzn-requestid'] ?? '';

function candidateOf(body: JsonObject, reader: ContentReader): Candidate {
  const parts = reader.parts();
  const finish = decodeFinish(body, reader.hasCalls || reader.hasOutput);
  if (finish.reason === 'error' && parts.length === 0)
    throw answerInvalid(`The model stopped: ${finish.raw ?? ''}`);
  return { index: 0, parts, finish: reader.hasOutput ? withoutToolUse(finish) : finish };
}

/** Decodes content blocks. With an output tool, its arguments are the text of the response. */
class ContentReader {
  hasCalls = false;
  hasOutput = false;
  private readonly read: Part[] = [];
  private readonly isClaude: boolean;
  /** Code units of text so far. */
  private length = 0;

  constructor(private readonly context: ProviderContext) {
    this.isClaude = modelOf(context.target).family === 'claude';
  }

  /** Returns the parts. With an output tool, text next to its call is left out. */
  parts(): Part[] {
    return this.hasOutput
      ? this.read.filter((part) => part.kind !== 'text' || part === this.output)
      : this.read;
  }

  private output: Part | undefined;

  add(block: JsonObject): void {
    const part = this.part(block);
    if (part !== null) this.read.push(part);
  }

  private part(block: JsonObject): Part | null {
    const text = asString(block['text']);
    if (text !== null) return this.text(text, []);
    const reasoning = asObject(block['reasoningContent']);
    if (reasoning !== null) return this.reasoning(reasoning);
    const toolUse = asObject(block['toolUse']);
    if (toolUse !== null) return this.toolUse(toolUse);
    const cited = asObject(block['citationsContent']);
    if (cited !== null) return this.text(citedText(cited), objectsOf(cited['citations']));
    const result = asObject(block['toolResult']);
    if (result !== null) return hostedResult(result);
    return image(asObject(block['image']));
  }

  private text(text: string, citations: readonly JsonObject[]): Part {
    const start = this.length;
    this.length += text.length;
    const cited = citations.map((item) => decodeCitation(item, start, this.length));
    return { kind: 'text', text, ...(cited.length === 0 ? {} : { citations: cited }) };
  }

  private reasoning(block: JsonObject): Part | null {
    const data = asString(block['redactedContent']);
    if (data !== null) return this.isClaude ? redacted(data) : null;
    const { text, signature } = asObject(block['reasoningText']) ?? {};
    return signed(asString(text) ?? '', asString(signature) ?? '', this.isClaude);
  }

  private toolUse(block: JsonObject): Part {
    if (isHosted(block)) return hostedCall(block);
    const [id, name] = [asString(block['toolUseId']), asString(block['name'])];
    if (id === null || name === null) throw answerInvalid('A tool call has no id or no name.');
    const args = argumentsText(block['input']);
    if (this.context.outputTool === true && name === OUTPUT_TOOL) {
      this.hasOutput = true;
      this.output = { kind: 'text', text: args };
      return this.output;
    }
    this.hasCalls = true;
    return { kind: 'tool_call', id, name, args };
  }
}

/** Returns the JSON text of an input, which may be nested too deep to be written. */
function argumentsText(input: unknown): string {
  if (typeof input === 'string') return input;
  const text = writtenJson(input ?? {});
  if (text === null) throw answerInvalid('The input of a tool call is nested too deep.');
  return text;
}

function image(block: JsonObject | null): Part | null {
  const data = asString(asObject(block?.['source'])?.['bytes']);
  if (data === null) return null;
  const mime = `image/${asString(block?.['format']) ?? 'png'}`;
  return { kind: 'media', media: 'image', mime, source: { at: 'base64', data } };
}
