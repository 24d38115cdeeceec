import { asObject, asString } from '@gw/dialects';
import { GatewayError } from '@gw/kernel';
import { chatShape } from '../../dialects/openai/chat-shape';
import type { JsonObject, TranslationContext } from '../../provider';
import { chatUsage, finishReason } from './outcome';

/**
 * Translates an Anthropic message to an OpenAI chat completion. Throws `provider_answer_invalid`
 * when the body is not a message.
 */
export function toChatCompletion(body: JsonObject, context: TranslationContext): JsonObject {
  const { content } = body;
  if (!Array.isArray(content)) throw new GatewayError('provider_answer_invalid');
  const blocks = content.map(asObject).filter((block) => block !== null);
  const usage = chatUsage(asObject(body['usage']) ?? {});
  const tier = asString(asObject(body['usage'])?.['service_tier']);
  const shape = chatShape(context);
  return {
    id: asString(body['id']) ?? context.requestId,
    object: 'chat.completion',
    created: context.createdAt,
    model: body['model'] ?? context.request['model'],
    ...shape.head,
    choices: [
      {
        index: 0,
        message: shape.message(toMessage(blocks)),
        logprobs: null,
        finish_reason: finishReason(body['stop_reason']),
      },
    ],
    ...(usage === undefined ? {} : { usage }),
    ...(tier === null ? {} : { service_tier: tier }),
  };
}

/**
 * Translates the content blocks to a chat message.
 * It may have three members beyond OpenAI's: `reasoning_content` (the thinking as text),
 * `thinking_blocks` (to be sent back unchanged, because their signatures are verified), and
 * `content_blocks` (all blocks, when some have no equivalent).
 */
function toMessage(blocks: readonly JsonObject[]): JsonObject {
  const texts = blocks.filter(({ type }) => type === 'text');
  const tools = blocks.filter(({ type }) => type === 'tool_use');
  const thinking = blocks.filter(isThinking);
  const reasoning = thinking.map((block) => asString(block['thinking']) ?? '').join('');
  const partly = texts.length + tools.length + thinking.length < blocks.length || texts.some(hasCitations);
  return {
    role: 'assistant',
    content: texts.length === 0 ? null : texts.map((block) => asString(block['text']) ?? '').join(''),
    refusal: null,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(thinking.length === 0 ? {} : { thinking_blocks: thinking }),
    ...(tools.length === 0 ? {} : { tool_calls: tools.map(toToolCall) }),
    ...(partly ? { content_blocks: blocks } : {}),
  };
}

const isThinking = ({ type }: JsonObject): boolean => type === 'thinking' || type === 'redacted_thinking';

const hasCitations = ({ citations }: JsonObject): boolean => Array.isArray(citations) && citations.length > 0;

const toToolCall = (block: JsonObject): JsonObject => ({
  id: block['id'],
  type: 'function',
  function: { name: block['name'], arguments: JSON.stringify(block['input'] ?? {}) },
});
