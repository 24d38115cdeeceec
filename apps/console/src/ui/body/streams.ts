import { isJson, listOf, parsed, textOf, type Dialect, type Json } from './conversation';

type Draft = Record<string, unknown>;

/** Maximum index in a stream, so that a hostile index cannot create a huge array. */
const PLACES = 1000;
const placeOf = (index: unknown, otherwise = 0): number =>
  typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < PLACES ? index : otherwise;

/**
 * Parses the events of a logged stream: the JSON of each `data:` field. Truncated fields and other
 * text are omitted.
 */
export function eventsOf(text: string): readonly Json[] {
  return text.split(/\r?\n\r?\n/).flatMap((block) => {
    const data = block
      .split(/\r?\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).trimStart())
      .join('\n');
    if (data === '' || data === '[DONE]') return [];
    try {
      const event: unknown = JSON.parse(data);
      return isJson(event) ? [event] : [];
    } catch {
      return [];
    }
  });
}

/** Assembles the events of a stream to the response that the route returns without streaming. */
export function assembled(dialect: Dialect, events: readonly Json[]): Json {
  switch (dialect) {
    case 'messages':
      return assembledMessage(events);
    case 'responses':
      return assembledResponse(events);
    case 'chat':
    case 'completions':
    case 'embeddings':
      return assembledChoices(events);
  }
}

/** Assembles chat and completions: joins the texts of the deltas by choice and by tool call. */
function assembledChoices(events: readonly Json[]): Json {
  const choices: Draft[] = [];
  for (const choice of events.flatMap((event) => listOf(event['choices'])).filter(isJson)) {
    const index = placeOf(choice['index']);
    const whole = (choices[index] ??= { message: {} });
    if (typeof choice['text'] === 'string') join(whole, 'text', choice['text']);
    if (choice['finish_reason'] !== null && choice['finish_reason'] !== undefined)
      whole['finish_reason'] = choice['finish_reason'];
    if (isJson(choice['delta'])) joinDelta(whole['message'] as Draft, choice['delta']);
  }
  return { choices: choices.filter((choice) => choice !== undefined) };
}

function joinDelta(target: Draft, delta: Json): void {
  for (const [name, value] of Object.entries(delta)) {
    if (name === 'tool_calls') {
      const calls = (target['tool_calls'] ??= []) as Draft[];
      for (const call of listOf(value).filter(isJson)) {
        const at = placeOf(call['index'], calls.length);
        const whole = (calls[at] ??= { id: call['id'] });
        for (const kind of ['function', 'custom'])
          if (isJson(call[kind])) joinTexts((whole[kind] ??= {}) as Draft, call[kind]);
      }
    } else if (name === 'role') target['role'] = value;
    else if (typeof value === 'string') join(target, name, value);
  }
}

const join = (target: Draft, name: string, text: string): void => {
  target[name] = (textOf(target[name]) ?? '') + text;
};

function joinTexts(target: Draft, delta: Json): void {
  for (const [name, value] of Object.entries(delta)) if (typeof value === 'string') join(target, name, value);
}

/** Member of a content block that each type of delta extends. */
const BLOCK_TEXTS: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  input_json_delta: 'partial_json',
};

function assembledMessage(events: readonly Json[]): Json {
  const whole: Draft = { role: 'assistant', content: [] };
  const blocks: Draft[] = [];
  for (const event of events) {
    const { type, delta, message, content_block: block } = event;
    const at = placeOf(event['index']);
    if (type === 'message_start' && isJson(message)) Object.assign(whole, message);
    else if (type === 'content_block_start' && isJson(block)) blocks[at] = { ...block };
    else if (type === 'content_block_delta' && isJson(delta))
      joinBlock((blocks[at] ??= { type: 'text' }), delta);
    else if (type === 'message_delta' && isJson(delta)) Object.assign(whole, delta);
  }
  whole['content'] = blocks
    .filter((block) => block !== undefined)
    .map(({ input_text: input, ...block }) =>
      input === undefined ? block : { ...block, input: parsed(input) },
    );
  return whole;
}

function joinBlock(block: Draft, delta: Json): void {
  const type = textOf(delta['type']) ?? '';
  const name = Object.hasOwn(BLOCK_TEXTS, type) ? BLOCK_TEXTS[type] : undefined;
  if (name !== undefined)
    join(block, name === 'partial_json' ? 'input_text' : name, textOf(delta[name]) ?? '');
}

function assembledResponse(events: readonly Json[]): Json {
  const done = events.findLast(({ response }) => isJson(response) && listOf(response['output']).length > 0);
  if (done !== undefined) return done['response'] as Json;
  const items: Draft[] = [];
  for (const event of events) {
    const at = placeOf(event['output_index']);
    if (isJson(event['item'])) items[at] = { ...event['item'] };
    else if (typeof event['delta'] === 'string' && event['type'] === 'response.output_text.delta') {
      const item = (items[at] ??= { type: 'message', role: 'assistant' });
      const [part] = listOf(item['content']);
      const before = isJson(part) ? (textOf(part['text']) ?? '') : '';
      item['content'] = [{ type: 'output_text', text: before + event['delta'] }];
    }
  }
  return { output: items.filter((item) => item !== undefined) };
}
