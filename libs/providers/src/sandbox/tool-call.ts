import { asObject, asString, parseObject } from '@gw/dialects';
import type { JsonObject } from '../provider';
import { exampleOf } from './example';

/**
 * Maximum characters of a message and maximum tools that are read, because the name of each tool is
 * searched in the message.
 */
const SEARCHED_MAX = 32_768;
const TOOLS_MAX = 128;

export interface SandboxCall {
  readonly id: string;
  readonly name: string;
  /** The arguments as JSON text. */
  readonly arguments: string;
}

/**
 * Returns the tool call of a request, or null. A tool is called when the last message is the user's
 * and names it, or when `tool_choice` demands it. A JSON object after the name
 * (`get_weather {"city":"Paris"}`) becomes the arguments; otherwise the tool's schema makes them.
 */
export function toolCall(body: JsonObject, id: string): SandboxCall | null {
  const question = lastOfUser(body);
  const tools = toolsOf(body);
  if (question === null || tools.length === 0) return null;
  const choice = body['tool_choice'];
  if (choice === 'none') return null;
  const named = asString(asObject(asObject(choice)?.['function'])?.['name']);
  const wanted = named === null ? mentioned(tools, question) : find(tools, named);
  const tool = wanted ?? (choice === 'required' ? tools[0] : undefined);
  if (tool === undefined) return null;
  return {
    id: `call_sandbox_${id.slice(0, 12)}`,
    name: tool.name,
    arguments: argumentsIn(question, tool.name) ?? JSON.stringify(exampleOf(tool.parameters)),
  };
}

interface Tool {
  readonly name: string;
  readonly parameters: unknown;
}

const find = (tools: readonly Tool[], name: string): Tool | undefined =>
  tools.find((tool) => tool.name === name);

/** Returns the tool that a text names. A tool that is named with arguments takes precedence. */
const mentioned = (tools: readonly Tool[], text: string): Tool | undefined =>
  tools.find(({ name }) => text.includes(`${name} {`)) ?? tools.find(({ name }) => text.includes(name));

function toolsOf({ tools }: JsonObject): readonly Tool[] {
  return (Array.isArray(tools) ? tools.slice(0, TOOLS_MAX) : []).flatMap((tool) => {
    const { name, parameters } = asObject(asObject(tool)?.['function']) ?? {};
    return typeof name === 'string' && name !== '' ? [{ name, parameters }] : [];
  });
}

/**
 * Returns the text of the last message other than instructions; null when that message is not the
 * user's.
 */
function lastOfUser({ messages }: JsonObject): string | null {
  const turns = (Array.isArray(messages) ? messages : []).map(asObject);
  const last = turns.findLast((turn) => turn?.['role'] !== 'system' && turn?.['role'] !== 'developer');
  if (last?.['role'] !== 'user') return null;
  const { content } = last;
  const parts = Array.isArray(content) ? content : [{ text: content }];
  const text = parts.map((part) => asString(asObject(part)?.['text']) ?? '').join('\n');
  return text.slice(0, SEARCHED_MAX);
}

/** Returns the JSON object that follows the tool's name in its line; null when there is none. */
function argumentsIn(text: string, name: string): string | null {
  const at = text.indexOf(`${name} {`);
  if (at < 0) return null;
  const [line = ''] = text
    .slice(at + name.length)
    .trimStart()
    .split('\n', 1);
  const end = line.lastIndexOf('}');
  const json = line.startsWith('{') && end > 0 ? line.slice(0, end + 1) : '';
  return parseObject(json) === null ? null : json;
}
