import { isObject, jsonTexts, withEditedTexts } from '@gw/kernel';
import {
  own,
  resultText,
  taskTexts,
  withEditedResult,
  withEditedTask,
  withoutToolResult,
  type JsonObject,
  type RpcError,
} from '@gw/mcp';
import type { RequestContext } from '../core/request-context';
import type { ToolGuards, ToolSubject } from '../guardrails/tool-guards';
import { guarded } from './denials';

/** The guardrails of one capability, and the request whose texts they check. */
export interface TextGuard {
  readonly guards: ToolGuards;
  readonly context: RequestContext;
  readonly subject: ToolSubject;
}

/**
 * Returns a task and its result after guardrails have edited them, without members that guardrails
 * do not check in a task. Throws the denial of a guardrail.
 */
export async function guardedTask(guard: TextGuard, received: JsonObject): Promise<JsonObject> {
  const task = withoutToolResult(received);
  const result = own(task, 'result');
  const texts = [...taskTexts(task), ...(isObject(result) ? resultText(result).texts : [])];
  const edit = texts.length === 0 && !isObject(result) ? null : await editOf(guard, texts);
  if (edit === null) return task;
  const edited = withEditedTask(task, edit);
  return isObject(result) ? { ...edited, result: withEditedResult(result, edit) } : edited;
}

/** Returns a server's error after guardrails have edited it. Throws the denial of a guardrail. */
export async function guardedError(guard: TextGuard, error: RpcError): Promise<RpcError> {
  const { code, message, data } = error;
  const edit = await editOf(guard, [message, ...jsonTexts(data)]);
  if (edit === null) return error;
  return { code, message: edit(message), ...(data !== undefined && { data: withEditedTexts(data, edit) }) };
}

/** Returns a function that replaces each changed text; null when no text changes. */
async function editOf(
  { guards, context, subject }: TextGuard,
  texts: readonly string[],
): Promise<((text: string) => string) | null> {
  const changes = await guarded(() => guards.changesOf(context, subject, texts));
  return changes === null ? null : (text) => changes.get(text) ?? text;
}
