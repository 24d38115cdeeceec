import type { JsonObject, Part, SealMaker } from '../call';
import type { ProviderContext } from '../codec';
import type { Logprob, ModelResponse } from '../response';
import { asNumber, asString, membersBesides, objectsOf } from '../values/json';
import { answerInvalid } from '../values/tool-arguments';
import { decodeAnnotations } from './annotations';
import { decodeOtherItem, decodeReasoning } from './decode-items';
import { failedResponse } from './faults';
import { decodeFinish, isRefusal } from './finish';
import { decodeLogprobs } from './logprobs';
import { DIALECT, withOwn } from './own';
import { makerOf } from './seals';
import { decodeUsage } from './usage';

const MESSAGE = new Set(['role', 'content']);
const CALL = new Set(['type', 'call_id', 'name', 'arguments', 'input']);

/** Maximum number of items of a response. */
const ITEMS_MAX = 4_096;

export function decodeResponse(body: JsonObject, context: ProviderContext): ModelResponse {
  if (body['status'] === 'failed' || body['status'] === 'cancelled') throw failedResponse(body);
  if (!Array.isArray(body['output'])) throw answerInvalid('no output');
  const items = objectsOf(body['output']);
  if (items.length > ITEMS_MAX) throw answerInvalid('too many items');
  const collector = new PartCollector(makerOf(context.target));
  for (const [index, item] of items.entries()) collector.take(item, index);
  const { parts, logprobs, searches } = collector;
  const usage = decodeUsage(body['usage'], searches);
  const serviceTier = asString(body['service_tier']);
  return {
    id: asString(body['id']) ?? context.requestId,
    model: asString(body['model']) ?? '',
    created: asNumber(body['created_at']) ?? context.createdAt,
    candidates: [
      {
        index: 0,
        parts,
        finish: decodeFinish(body, {
          calls: parts.some(({ kind }) => kind === 'tool_call'),
          refusal: parts.some(isRefusal),
        }),
        ...(logprobs.length === 0 ? {} : { logprobs }),
      },
    ],
    ...(usage === undefined ? {} : { usage }),
    ...(serviceTier === null ? {} : { serviceTier }),
  };
}

class PartCollector {
  readonly parts: Part[] = [];
  readonly logprobs: Logprob[] = [];
  searches = 0;
  /**
   * Code units of the text of all messages so far. They become one candidate, and ranges of
   * citations count from its start.
   */
  private textLength = 0;

  constructor(private readonly maker: SealMaker) {}

  take(item: JsonObject, index: number): void {
    const type = asString(item['type']) ?? '';
    switch (type) {
      case 'message':
        this.message(item, index);
        break;
      case 'function_call':
      case 'custom_tool_call':
        this.parts.push(decodeCallItem(item));
        break;
      case 'reasoning':
        this.reasoning(item);
        break;
      default:
        if (type === 'web_search_call') this.searches += 1;
        this.parts.push(decodeOtherItem(item, type));
    }
  }

  private reasoning(item: JsonObject): void {
    const part = decodeReasoning(item, this.maker);
    if (part.text !== '' || part.seal !== undefined) this.parts.push(part);
  }

  private message(item: JsonObject, index: number): void {
    const own = withOwn({ message: { index, item: membersBesides(item, MESSAGE) ?? {} } });
    for (const part of objectsOf(item['content'])) {
      switch (part['type']) {
        case 'refusal':
          this.parts.push({ kind: 'refusal', text: asString(part['refusal']) ?? '', ...own });
          break;
        case 'output_text':
          this.text(part, own);
          break;
        default:
          this.parts.push({ kind: 'opaque', dialect: DIALECT, data: part, ...own });
      }
    }
  }

  private text(part: JsonObject, own: ReturnType<typeof withOwn>): void {
    const text = asString(part['text']) ?? '';
    const citations = decodeAnnotations(part['annotations'], this.textLength);
    this.textLength += text.length;
    this.logprobs.push(...decodeLogprobs(part['logprobs']));
    if (text === '' && citations.length === 0) return;
    this.parts.push({ kind: 'text', text, ...(citations.length === 0 ? {} : { citations }), ...own });
  }
}

/**
 * Decodes a tool call of a response. Invalid arguments come from the model, and the client must see
 * them.
 */
export function decodeCallItem(item: JsonObject): Part & { readonly kind: 'tool_call' } {
  const isCustom = item['type'] === 'custom_tool_call';
  return {
    kind: 'tool_call',
    id: asString(item['call_id']) ?? asString(item['id']) ?? '',
    name: asString(item['name']) ?? '',
    args: asString(item[isCustom ? 'input' : 'arguments']) ?? '',
    ...(isCustom ? { custom: true } : {}),
    ...withOwn({ rest: membersBesides(item, CALL) ?? {} }),
  };
}
