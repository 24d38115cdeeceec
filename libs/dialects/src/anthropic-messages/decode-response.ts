import type { JsonObject, Part } from '../call';
import type { ProviderContext } from '../codec';
import type { ModelResponse } from '../response';
import { asArray, asObject, asString, writtenJson, membersBesides, optional } from '../values/json';
import { answerInvalid } from '../values/tool-arguments';
import { decodeCitation } from './citations';
import { OUTPUT_TOOL } from './encode-output';
import { providerBlock } from './decode-parts';
import { decodeFinish, withoutToolUse } from './finish';
import { DIALECT, extensions } from './paths';
import { decodeUsage, serviceTierOf } from './usage';

/** Members of a message without a neutral place, which clients of this dialect get unchanged. */
const KEPT = ['container', 'stop_details', 'context_management', 'diagnostics'] as const;

/** Decodes a message. Throws `provider_answer_invalid` for any other body. */
export function decodeResponse(body: JsonObject, context: ProviderContext): ModelResponse {
  const content = asArray(body['content']);
  if (content === null) throw answerInvalid('The body has no list of content.');
  const reader = new ContentReader(context.outputTool === true);
  for (const item of content) reader.add(asObject(item));
  const finish = decodeFinish(body, reader.hasCalls || reader.hasOutput);
  const usage = asObject(body['usage']) ?? {};
  const x: JsonObject = {};
  for (const name of KEPT) if (asObject(body[name]) !== null) x[name] = body[name];
  return {
    id: asString(body['id']) ?? '',
    model: asString(body['model']) ?? '',
    created: context.createdAt,
    candidates: [
      { index: 0, parts: reader.parts, finish: reader.hasOutput ? withoutToolUse(finish) : finish },
    ],
    ...optional('usage', decodeUsage(usage)),
    ...optional('serviceTier', serviceTierOf(usage)),
    ...(Object.keys(x).length === 0 ? {} : { x: { [DIALECT]: x } }),
  };
}

const TOOL_USE: ReadonlySet<string> = new Set(['type', 'id', 'name', 'input']);

/** Returns the members beyond those of a plain call, such as `caller`. */
export const callExtensions = (block: JsonObject): ReturnType<typeof extensions> =>
  extensions(membersBesides(block, TOOL_USE));

/**
 * Decodes content blocks. `outputTool`: the arguments of the tool `json_output` are the text of the
 * response.
 */
class ContentReader {
  readonly parts: Part[] = [];
  hasCalls = false;
  hasOutput = false;
  /** Characters of text so far. */
  private length = 0;

  constructor(private readonly outputTool: boolean) {}

  add(block: JsonObject | null): void {
    const part = block === null ? null : this.part(block);
    if (part !== null) this.parts.push(part);
  }

  private part(block: JsonObject): Part | null {
    const type = asString(block['type']) ?? '';
    switch (type) {
      case 'text':
        return this.text(block);
      case 'thinking':
        return thinking(block);
      case 'redacted_thinking':
        return redacted(asString(block['data']) ?? '');
      case 'tool_use':
        return this.toolUse(block);
      default:
        // Its members are written unchanged.
        if (writtenJson(block) === null) throw answerInvalid('A content block is nested too deep.');
        return providerBlock(type, block);
    }
  }

  private text(block: JsonObject): Part | null {
    const text = asString(block['text']);
    if (text === null || this.outputTool) return null;
    const start = this.length;
    this.length += text.length;
    const citations = (asArray(block['citations']) ?? [])
      .map(asObject)
      .filter((item) => item !== null)
      .map((item) => decodeCitation(item, start, this.length));
    return { kind: 'text', text, ...(citations.length === 0 ? {} : { citations }) };
  }

  private toolUse(block: JsonObject): Part {
    const [id, name] = [asString(block['id']), asString(block['name'])];
    if (id === null || name === null) throw answerInvalid('A tool call has no id or no name.');
    const args = writtenJson(asObject(block['input']) ?? {});
    if (args === null) throw answerInvalid('The arguments of a tool call are nested too deep.');
    if (this.outputTool && name === OUTPUT_TOOL) {
      this.hasOutput = true;
      return { kind: 'text', text: args };
    }
    this.hasCalls = true;
    return { kind: 'tool_call', id, name, args, ...callExtensions(block) };
  }
}

function thinking(block: JsonObject): Part {
  const signature = asString(block['signature']) ?? '';
  return {
    kind: 'reasoning',
    text: asString(block['thinking']) ?? '',
    ...(signature === '' ? {} : { seal: { by: 'anthropic', value: signature } }),
  };
}

export const redacted = (data: string): Part => ({
  kind: 'reasoning',
  text: '',
  seal: { by: 'anthropic', value: data, redacted: true },
});
