import { isGiven, list, object, text, type Json } from './json-values';

/** Accumulates chunks like `ChatCompletionStream` of the openai package. */
export function foldChat(chunks: readonly Json[]): Json {
  const choices = new Map<number, Json>();
  const result: Json = {};
  for (const chunk of chunks) {
    if (isGiven(chunk['usage'])) result['usage'] = chunk['usage'];
    for (const name of ['id', 'model', 'created']) result[name] ??= chunk[name];
    for (const choice of list(chunk['choices'])) addChoice(choices, choice);
  }
  return { ...result, choices: [...choices.values()] };
}

function addChoice(choices: Map<number, Json>, choice: Json): void {
  const index = Number(choice['index']);
  const found = choices.get(index) ?? { index, message: { content: null }, finish_reason: null };
  choices.set(index, found);
  addDelta(object(found['message']), object(choice['delta']));
  for (const name of ['finish_reason', 'native_finish_reason', 'logprobs']) {
    if (isGiven(choice[name])) found[name] = choice[name];
  }
}

function addDelta(message: Json, delta: Json): void {
  for (const [name, value] of Object.entries(delta)) {
    if (!isGiven(value)) continue;
    if (name === 'tool_calls' || name === 'thinking_blocks') {
      const items = (message[name] ??= []) as Json[];
      for (const part of list(value)) addIndexed(items, part);
    } else if (Array.isArray(value)) message[name] = [...list(message[name]), ...list(value)];
    else message[name] = typeof value === 'string' && name !== 'role' ? text(message[name]) + value : value;
  }
}

function addIndexed(items: Json[], part: Json): void {
  let found = items.find((item) => item['index'] === part['index']);
  if (found === undefined) {
    found = { index: part['index'] };
    items.push(found);
  }
  for (const [name, value] of Object.entries(part)) {
    if (name === 'index' || !isGiven(value)) continue;
    if (name === 'function') addFunction((found['function'] ??= {}) as Json, object(value));
    else found[name] = name === 'thinking' ? text(found[name]) + text(value) : value;
  }
}

function addFunction(called: Json, fragment: Json): void {
  for (const [name, value] of Object.entries(fragment)) {
    called[name] = name === 'arguments' ? text(called[name]) + text(value) : value;
  }
}
