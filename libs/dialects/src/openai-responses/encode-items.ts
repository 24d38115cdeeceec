import {
  partPath,
  type JsonObject,
  type Part,
  type ReasoningPart,
  type ToolCallPart,
  type ToolResultPart,
} from '../call';
import { encodeInputParts, type PartContext } from './encode-content';
import { ownOf, type Own } from './own';
import { makerOf } from './seals';

export function encodeToolCall(part: ToolCallPart, id: string): JsonObject {
  const { rest } = ownOf(part);
  return part.custom === true
    ? { type: 'custom_tool_call', call_id: id, name: part.name, input: part.args, ...rest }
    : {
        type: 'function_call',
        call_id: id,
        name: part.name,
        arguments: part.args === '' ? '{}' : part.args,
        ...rest,
      };
}

export function encodeToolResult(
  part: ToolResultPart,
  call: { readonly id: string; readonly custom: boolean },
  context: PartContext,
): JsonObject {
  const own: Own = ownOf(part);
  if (part.error === true) context.losses.note(partPath(context.call, part, 'error'));
  const content = encodeInputParts(part.parts, context);
  return {
    type: call.custom || own.isCustom === true ? 'custom_tool_call_output' : 'function_call_output',
    call_id: call.id,
    output: plainText(content) ?? content,
    ...own.rest,
  };
}

/** Returns the text of content that is a single text; '' for no content; null for other content. */
function plainText(content: readonly JsonObject[]): string | null {
  const [only] = content;
  if (only === undefined) return '';
  const isPlain = content.length === 1 && only['type'] === 'input_text' && Object.keys(only).length === 2;
  return isPlain ? String(only['text']) : null;
}

/**
 * Encodes a reasoning item; null when the provider could not accept it. An item without a seal is
 * known only to the provider's store, so it is left out unless the store is in use.
 */
export function encodeReasoningItem(part: ReasoningPart, context: PartContext): JsonObject | null {
  const { call, target, losses } = context;
  const own = ownOf(part);
  const isSealed = part.seal !== undefined && part.seal.by === makerOf(target);
  const isStored = call.store === true && part.itemId !== undefined && part.seal === undefined;
  if (!isSealed && !isStored) {
    losses.note(part.at ?? call.paths.turns ?? 'turns');
    return null;
  }
  return {
    type: 'reasoning',
    ...(part.itemId === undefined ? {} : { id: part.itemId }),
    ...(own.reasoning ?? reasoningTexts(part, own.isContent === true)),
    ...(isSealed ? { encrypted_content: part.seal?.value } : {}),
    ...own.rest,
  };
}

export function reasoningTexts(part: ReasoningPart, isContent: boolean): JsonObject {
  if (isContent) return { summary: [], content: [{ type: 'reasoning_text', text: part.text }] };
  return { summary: part.text === '' ? [] : [{ type: 'summary_text', text: part.text }] };
}

/** Returns whether a part of an assistant turn belongs in a message item. */
export const isMessagePart = (part: Part): boolean =>
  part.kind === 'text' ||
  part.kind === 'refusal' ||
  part.kind === 'media' ||
  part.kind === 'search_result' ||
  (part.kind === 'opaque' && ownOf(part).isItem !== true);
